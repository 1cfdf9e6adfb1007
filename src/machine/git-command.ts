// How git is started, wherever Banto starts it: never through a shell, never with the caller's GIT_* variables,
// and so that nothing a repository brings along is executed. A repository may come from anybody: its hooks and
// its .git/config are somebody else's words.

/**
 * Each of these names, or leads to, a program that git would run. Filters of .gitattributes have names that only
 * the repository knows and cannot be turned off: commands that run them (status, add, diff, checkout) are for
 * repositories that Banto made itself.
 */
const NOTHING_RUNS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.askPass=false',
  'core.gitProxy=false',
  'core.editor=false',
  'core.attributesFile=/dev/null',
  'core.alternateRefsCommand=false',
  'credential.helper=',
  'protocol.allow=never',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'log.showSignature=false',
  'commit.gpgSign=false',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
];

/** GIT_DIR and its kin would point git at another repository than the one that was asked for. */
export function gitEnvironment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(from).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    // Over every protocol.*.allow of the repository: no transport, also when objects are missing.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_PAGER: 'cat',
    LC_ALL: 'C',
  };
}

/** What is given with -c stands above every configuration file. */
export function gitArguments(repoDir: string, args: readonly string[]): string[] {
  const settings = NOTHING_RUNS.flatMap((setting) => ['-c', setting]);
  return ['-C', repoDir, '--no-pager', '--literal-pathspecs', ...settings, ...args];
}
