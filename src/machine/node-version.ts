// Runs before anything that needs a new Node. bin/banto.js says the same to a Node that cannot even read this.

const OLDEST = [22, 18] as const;

/** Null: new enough. Otherwise the sentence that says what to do. */
export function nodeProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return `Banto needs Node ${OLDEST.join('.')} or newer; this is ${version}. Install Node 24 from https://nodejs.org or with your version manager (nvm install 24). In a clone, run "npm ci" once and then "npm run -s banto -- <command>": that brings its own Node.`;
}
