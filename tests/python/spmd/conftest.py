# SPDX-License-Identifier: BSD-3-Clause
"""All PEs of a job run these tests together, in one order; a test that fails at one of them ends the job."""
import pytest

import syncline as sl


@pytest.fixture(scope="session", autouse=True)
def job():
    sl.init()


@pytest.fixture(autouse=True)
def together(job):
    """No PE is in the next test while another one is in this."""
    yield
    sl.barrier()


@pytest.fixture
def right():
    """The neighbour whose memory this PE works on."""
    return (sl.rank() + 1) % sl.size()


@pytest.fixture
def left():
    """The neighbour that works on this PE's memory."""
    return (sl.rank() - 1) % sl.size()
