// Takes known secrets out of text before anybody sees it. Libraries quote what they were given: an address with its
// password, a command with its arguments.

const REDACTED = '[redacted]';
/** Shorter ones would blacken ordinary words. */
const SHORTEST = 4;
/** A line of a private key that says nothing else. */
const KEY_LINE = 16;

/** The ways in which a secret may stand in a text. */
function formsOf(secret: string): string[] {
  const lines = secret.includes('\n')
    ? secret.split('\n').filter((line) => line.length >= KEY_LINE && !line.startsWith('-----'))
    : [];
  return [secret, ...lines].flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    encodeURIComponent(form),
  ]);
}

export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf));
  // A secret may be a part of another one.
  const longest = [...forms].sort((a, b) => b.length - a.length);
  return (text) => longest.reduce((left, form) => left.replaceAll(form, REDACTED), text);
}
