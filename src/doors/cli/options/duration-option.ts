// Options that are a length of time: `90`, `90s`, `15m`, `2h`.

import { InvalidArgumentError, Option } from 'commander';

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** In seconds. */
export function lengthOfTime(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const [, amount = '', unit = 's'] = /^(\d{1,7})([smhd])?$/.exec(text) ?? [];
    const seconds = amount === '' ? Number.NaN : Number(amount) * UNITS[unit as keyof typeof UNITS];
    if (seconds >= minimum && seconds <= maximum) return seconds;
    throw new InvalidArgumentError(
      `It must be a length of time such as 90s, 15m or 2h, from ${minimum} to ${maximum} seconds.`,
    );
  };
}

/** `usual` is written as a person would write it; the help shows just that. */
export function timeOption(
  flags: string,
  about: string,
  [minimum, maximum]: readonly [number, number],
  usual: string,
): Option {
  const parse = lengthOfTime(minimum, maximum);
  return new Option(flags, about).argParser(parse).default(parse(usual), usual);
}
