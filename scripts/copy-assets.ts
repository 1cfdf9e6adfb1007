// Puts beside the compiled files what they read at run time.

import { cpSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

for (const file of globSync('**/*.{sql,lua,md}', { cwd: join(root, 'src') })) {
  const target = join(root, 'dist', file);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, 'src', file), target);
}
