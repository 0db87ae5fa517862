# SPDX-License-Identifier: BSD-3-Clause
"""The shell completion of syncline, synclined and oshrun: `bash`, `zsh`, and for packages, in which oshrun is called
oshrun.syncline, `zsh-packages`. Commands, options, their values and arguments come from --help. Both shells have one table, a
function that they both understand, with completion.bash or completion.zsh around it.
"""
import pathlib
import re

from helptext import output, tree

TABLE = r"""# Made by scripts/pages of what the commands say with --help.
_syncline_testbeds() { syncline testbed status 2>/dev/null | sed -n 's/^\([^ :]*\): .*/\1/p' | tr '\n' ' '; }
# _syncline_table <command with subcommands> <option>: its subcommands, its arguments, its options, those of them that
# take a value, and the values that <option> may have.
_syncline_table() {
    syncline_commands= syncline_arguments= syncline_options= syncline_valued= syncline_values=
    case $1 in
%s    esac
}
"""
BRANCH = """        "{command}")
            syncline_commands="{commands}"
            syncline_arguments="{arguments}"
            syncline_options="{options}"
            syncline_valued="{valued}"
{choices}            ;;
"""


def values_of(item, presets):
    """The values in braces are all that there are; PRESET stands for names that the simulator has, TESTBED for the test bed's."""
    if braces := re.search(r"\{([^}]*)\}", item):
        return braces[1].replace(",", " ")
    words = item.split()
    if words[1:] and re.match("TESTBED(=|$)", words[1]):
        return "$(_syncline_testbeds)"
    return presets if "PRESET" in words else ""


def branch(command, help_of, presets=""):
    """One branch of the table's `case`. A type in capitals: the option takes a value."""
    options, valued, choices = [], [], ""
    for item, _ in help_of.items["Options"]:
        names, *kind = item.split()
        new = [name for name in names.split(",") if name not in options]
        options += new
        if kind and re.match("[A-Z][A-Z]+(:|=|$)", kind[0]):
            valued += new
        if new and (values := values_of(item, presets)):
            choices += f"                {' | '.join(new)}) syncline_values=\"{values}\" ;;\n"
    arguments = filter(None, (values_of(item, presets) for item, _ in help_of.items["Positionals"]))
    return BRANCH.format(command=command, commands=" ".join(help_of.subcommands()), arguments=" ".join(arguments),
                         options=" ".join(options), valued=" ".join(valued),
                         choices=choices and f"            case $2 in\n{choices}            esac\n")


def add_oshrun(run, oshrun):
    """The --help of `syncline run`, whose options oshrun takes, too, with oshrun's own, which are written `-n, -np <PEs>`."""
    for item, _ in oshrun.items["Options"]:
        names = re.sub(" <[^,]*", "", item).replace(", ", ",")
        run.items["Options"].append([f"{names} TEXT" if re.search(" <[^,]*$", item) else names, ""])
    run.items["Positionals"] = []
    return run


def presets_of(folder, command):
    """A sweep wants a preset that has one."""
    if command[:2] != ("syncline", "sim") or not command[2:]:
        return ""
    lines = output(folder, "syncline", "sim", "presets").splitlines()
    return " ".join(line.split()[0] for line in lines if command[2] != "sweep" or line.endswith("(sweep)"))


def files(folder):
    """The files by name."""
    helps = dict(pair for program in ("syncline", "synclined") for pair in tree(folder, program))
    branches = [branch(" ".join(command), help_of, presets_of(folder, command)) for command, help_of in helps.items()]
    (_, oshrun), = tree(folder, "oshrun")
    table = TABLE % "".join([*branches, branch("oshrun", add_oshrun(helps["syncline", "run"], oshrun))])
    result = {}
    for name, shell, top in (("bash", "bash", "# Completion of syncline, synclined and oshrun for bash."),
                             ("zsh", "zsh", "#compdef syncline synclined oshrun"),
                             ("zsh-packages", "zsh", "#compdef syncline synclined oshrun.syncline")):
        _, walk = (pathlib.Path(__file__).parent / f"completion.{shell}").read_text().split("\n", 1)
        result[name] = f"{top}\n{table}\n{walk}"
    return result
