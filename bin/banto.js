#!/usr/bin/env node
// Old syntax on purpose: a Node that is too old must still be able to read this and be told so.

import { existsSync } from 'node:fs';
import * as modules from 'node:module';

var version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 18)) {
  process.stderr.write(
    'banto: Banto needs Node 22.18 or newer; this is ' +
      process.versions.node +
      '. Install Node 24 from https://nodejs.org or with your version manager (nvm install 24). In a clone, run "npm ci" once and then "npm run -s banto -- <command>": that brings its own Node.\n',
  );
  process.exitCode = 1;
} else {
  // Agents call this often: from the second time on it starts in half the time.
  if (modules.enableCompileCache) modules.enableCompileCache();
  // Node 22 calls its SQLite experimental; Banto's tests run on it, and people need not worry.
  var emitWarning = process.emitWarning;
  process.emitWarning = function (warning) {
    if (String(warning).startsWith('SQLite is an experimental feature')) return;
    emitWarning.apply(process, arguments);
  };
  // A clone runs the source; what is published has only the built files.
  var source = new URL('../src/main.ts', import.meta.url);
  void import(existsSync(source) ? source.href : new URL('../dist/main.js', import.meta.url).href);
}
