// SPDX-License-Identifier: BSD-3-Clause
// Method: files of an administrator, good and broken. Each mistake is one error message that begins with the file and
// the line. The file that is delivered has every key, and its values are the defaults.
#include "daemon/configuration.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "base/failure.h"
#include "daemon/shown_configuration.h"
#include "tests/folders.h"

namespace syncline {
namespace {

class ConfigurationFile : public testing::Test {
  protected:
    ~ConfigurationFile() override { ::unlink(path.c_str()); }

    Configuration read(const std::string& content) const {
        std::ofstream(path) << content;
        return read_configuration(path);
    }
    // The sentence behind the file's name, "" if the file is taken.
    std::string refusal_of(const std::string& content) const {
        try {
            read(content);
            return "";
        } catch (const Failure& failure) {
            const std::string sentence = failure.what();
            EXPECT_TRUE(sentence.starts_with(path + ":")) << sentence;
            EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
            return sentence.substr(std::min(sentence.size(), path.size() + 1));
        }
    }
    void expect_refused(const std::string& content, const std::string& part) const {
        const std::string sentence = refusal_of(content);
        EXPECT_NE(sentence.find(part), std::string::npos) << content << "\n" << sentence;
    }

    const std::string path = "/tmp/syncline-configuration-" + std::to_string(::getpid()) + ".toml";
};

TEST_F(ConfigurationFile, SaysEverything) {
    const Configuration found = read(R"(
socket = "@elsewhere"
verbose = true
[network]
interfaces = ["ib0", "default route"]
udp_ports = [30000, 30099]
[users]
groups = ["root"]
all = true
jobs = 3
memory = "1.5GiB"
[memory]
limit = "64g"
job_share = 0.25
[agent]
cpu = 0
)");
    EXPECT_EQ(found.socket, "@elsewhere");
    EXPECT_TRUE(found.verbose);
    const Settings& settings = found.settings;
    EXPECT_EQ(settings.interfaces, (std::vector<std::string>{"ib0", "default route"}));
    EXPECT_FALSE(settings.udp_ports.holds(29999) || settings.udp_ports.holds(30100));
    EXPECT_TRUE(settings.udp_ports.holds(30000) && settings.udp_ports.holds(30099));
    ASSERT_EQ(settings.groups.size(), 1u);
    EXPECT_EQ(settings.groups[0].id, 0u);
    EXPECT_TRUE(settings.serves_users);
    EXPECT_EQ(settings.jobs_of_user, 3u);
    EXPECT_EQ(settings.memory_of_user, 3ull << 29);
    EXPECT_EQ(settings.memory_limit, 64ull << 30);
    EXPECT_EQ(settings.memory_of_job, 0.25);
    EXPECT_EQ(settings.agent_cpu, 0);
}

TEST_F(ConfigurationFile, MistakesAreNamedWithTheirLine) {
    expect_refused("\n[users]\n\ngroops = []\n", "4: there is no key users.groops; there are agent.cpu, ");
    expect_refused("[usres]\njobs = 1\n", "1: there is no key usres; there are ");
    expect_refused("colour = 1\n", "1: there is no key colour; there are ");
    expect_refused("\nusers = 3\n", "2: users is a section: its keys follow [users]");
    expect_refused("[users\n", "1: ");
    expect_refused("verbose = tru\n", "1: ");
    expect_refused("verbose = false\nverbose = true\n", "2: ");
    expect_refused("verbose = 1\n", "1: verbose needs true or false");
    expect_refused("socket = 7\n", "1: socket needs a text in quotation marks");
    expect_refused("socket = \"run/here\"\n", "1: socket needs a whole path");
    expect_refused("socket = \"/" + std::string(200, 'x') + "\"\n", "1: socket needs a whole path");
    expect_refused("[users]\njobs = \"many\"\n", "2: users.jobs needs a whole number from 1 to 65535");
    expect_refused("[users]\njobs = 0\n", "2: users.jobs needs a whole number");
    expect_refused("[users]\ngroups = \"root\"\n", "2: users.groups needs a list of texts");
    expect_refused("[users]\ngroups = [0]\n", "2: users.groups needs a list of texts");
    expect_refused("[users]\ngroups = [\n\"root\",\n\"no such group\"]\n",
                   "2: users.groups names the group 'no such group', which this machine does not have");
    expect_refused("[users]\nmemory = 7\n", "2: users.memory needs a size such as \"64GiB\"");
    expect_refused("[memory]\nlimit = \"much\"\n", "2: memory.limit needs a size");
    expect_refused("[memory]\nlimit = \"0\"\n", "2: memory.limit needs a size");
    expect_refused("[memory]\njob_share = 0.9\n", "2: memory.job_share needs a share above 0, and 0.75 at most");
    expect_refused("[memory]\njob_share = nan\n", "2: memory.job_share needs a share");
    expect_refused("[network]\nudp_ports = [19000, 18000]\n", "2: network.udp_ports goes from 19000 down to 18000");
    expect_refused("[network]\nudp_ports = [18000]\n", "2: network.udp_ports needs the first and the last port");
    expect_refused("[network]\nudp_ports = [80, 90]\n", "2: network.udp_ports needs a whole number from 1024 to 65535");
    expect_refused("[network]\nudp_ports = [18000, 19024]\n", "2: network.udp_ports has 1025 ports");
    expect_refused("[network]\ninterfaces = []\n", "2: network.interfaces needs at least one interface");
    expect_refused("[network]\ninterfaces = [\"an interface's name\"]\n",
                   "2: network.interfaces names 'an interface's");
    expect_refused("[agent]\ncpu = -1\n", "2: agent.cpu needs a whole number from 0");
    expect_refused("[agent]\ncpu = 1023\n", "2: agent.cpu names CPU 1023, on which the daemon may not run");
}

std::string parts(size_t count, const std::string& part = "a") {
    std::string key = part;
    for (size_t i = 1; i < count; i++) {
        key += "." + part;
    }
    return key;
}

TEST_F(ConfigurationFile, DeepKeysAreRefused) {
    const std::string deep = "a key has more than 32 parts";
    expect_refused(parts(50'000) + " = 1\n", "1: " + deep);
    expect_refused("\n[" + parts(50'000) + "]\n", "2: " + deep);
    expect_refused("[[" + parts(33, "\"a b\"") + "]]\n", "1: " + deep);
    expect_refused("x = \"\"\"\n'\n\"\"\"\ny = {" + parts(33, "'b'") + " = 1}\n", "4: " + deep);
    expect_refused("x = \"\\\"\" # \"\n" + parts(33, "a ") + " = 1\n", "2: " + deep);
    // Text in quotes has points, too, and the reader goes on to the next mistake.
    const std::string points(100, '.');
    for (const std::string& text : {"\"" + points + "\"", "'" + points + "'", "'''\n" + points + "'''"}) {
        expect_refused("verbose = " + text + " # " + points + "\n", "verbose needs true or false");
    }
    expect_refused("verbose = [1.5, 2.5]\n", "verbose needs true or false");
    expect_refused(parts(32) + " = 1\n", "1: there is no key a; there are ");
}

TEST_F(ConfigurationFile, ThatCannotBeReadIsNamed) {
    EXPECT_THROW(read_configuration(path), Failure) << "there is none";
    EXPECT_THROW(read_configuration("/tmp"), Failure) << "a folder";
    EXPECT_NO_THROW(read("")) << "an empty file decides nothing";
}

// The delivered file as it is, and with every key in front of which the # is taken away.
TEST_F(ConfigurationFile, AsDeliveredHasTheDefaults) {
    std::ifstream delivered(source_folder() + "/packaging/synclined.toml");
    std::stringstream content;
    content << delivered.rdbuf();
    ASSERT_FALSE(content.str().empty());
    const Settings defaults;
    const std::regex key("\n#([a-z_]+ = )");
    for (const std::string& text : {content.str(), std::regex_replace(content.str(), key, "\n$1")}) {
        const Settings found = read(text).settings;
        EXPECT_EQ(found.interfaces, defaults.interfaces);
        EXPECT_EQ(found.udp_ports.first, defaults.udp_ports.first);
        EXPECT_EQ(found.udp_ports.last, defaults.udp_ports.last);
        EXPECT_EQ(found.groups.size(), 0u);
        EXPECT_EQ(found.serves_users, defaults.serves_users);
        EXPECT_EQ(found.jobs_of_user, defaults.jobs_of_user);
        EXPECT_EQ(found.memory_of_job, defaults.memory_of_job);
    }
    const std::string sentence = refusal_of("unknown = 1\n");
    const std::string all = sentence.substr(sentence.find("there are ") + 10);
    std::istringstream names(all);
    for (std::string name; std::getline(names >> std::ws, name, ',');) {
        const std::string last = name.substr(name.find('.') + 1);
        EXPECT_NE(content.str().find("\n#" + last + " = "), std::string::npos) << name << " is not shown";
    }
}

TEST_F(ConfigurationFile, IsShownWithAllItsMistakes) {
    std::ofstream(path)
        << "verbose = 3\n[users]\njobs = 5\nnobodys = 1\n[memory]\nlimit = \"64GiB\"\njob_share = 7.0\n";
    const ShownConfiguration shown = show_configuration(path);
    std::map<std::string, ShownKey> keys;
    for (const ShownKey& key : shown.keys) {
        keys[key.name] = key;
    }
    EXPECT_EQ(keys["users.jobs"].value, "5");
    EXPECT_EQ(keys["users.jobs"].preset, "16");
    EXPECT_TRUE(keys["users.jobs"].is_in_file);
    EXPECT_EQ(keys["users.jobs"].mistake, "");
    EXPECT_EQ(keys["memory.limit"].value, "64.0 GiB");
    EXPECT_EQ(keys["verbose"].mistake, path + ":1: verbose needs true or false");
    EXPECT_EQ(keys["verbose"].value, "false");
    EXPECT_EQ(keys["memory.job_share"].value, "0.75");
    EXPECT_NE(keys["memory.job_share"].mistake.find(":7: memory.job_share needs a share"), std::string::npos);
    EXPECT_FALSE(keys["agent.cpu"].is_in_file);
    ASSERT_EQ(shown.mistakes.size(), 1u);
    EXPECT_TRUE(shown.mistakes[0].starts_with(path + ":4: there is no key users.nobodys; there are agent.cpu, "));
}

TEST_F(ConfigurationFile, IsShownAlsoIfItIsNone) {
    EXPECT_TRUE(show_configuration("").mistakes.empty());
    EXPECT_EQ(show_configuration("").keys.size(), 11u);
    EXPECT_EQ(show_configuration("/no/such").mistakes.size(), 1u);
    std::ofstream(path) << "[users\n";
    EXPECT_EQ(show_configuration(path).mistakes.size(), 1u);
    EXPECT_EQ(show_configuration(path).keys.size(), 11u);
}

}  // namespace
}  // namespace syncline
