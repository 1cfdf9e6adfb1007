// Options of the scripts here and of the benchmarks: what cannot be understood is answered with what can.

import { type ParseArgsConfig, parseArgs } from 'node:util';

interface Understood<Config extends ParseArgsConfig> {
  readonly values: ReturnType<typeof parseArgs<Config>>['values'];
  readonly positionals: readonly string[];
  /** Ends the script: this is not what can be asked of it. */
  refuse(why: string): never;
  /** A whole number that is given as text. */
  whole(name: string, least?: number): number;
}

/** `usage`: how it is called, and each option in a line. */
export function readOptions<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): Understood<Config> {
  function refuse(why: string): never {
    console.error(`${why}\n\n${usage}`);
    process.exit(2);
  }

  function parse() {
    try {
      const options = { ...config.options, help: { type: 'boolean', short: 'h' } } as const;
      return parseArgs({ ...config, options });
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error));
    }
  }

  const { values, positionals } = parse();
  const given: Record<string, unknown> = values;
  if (given['help'] === true) {
    console.log(usage);
    process.exit(0);
  }
  return {
    values,
    positionals,
    refuse,
    whole(name, least = 1) {
      const number = Number(given[name]);
      if (Number.isSafeInteger(number) && number >= least) return number;
      return refuse(`--${name} must be a whole number, at least ${least}.`);
    },
  };
}
