// Starts the page.

import { render } from 'preact';
import { App } from './app.tsx';
import { startClock } from './data/clock.ts';
import { startPolling } from './data/follow.ts';
import { followForEver } from './data/live.ts';
import { startRouter } from './data/route.ts';
import { startKeyboard } from './shell/keyboard.ts';
import { startTheme } from './shell/theme.ts';
import { startLanguage } from './words/words.ts';

startTheme();
startLanguage();
startRouter();
startClock();
startKeyboard();
startPolling();
void followForEver();

const root = document.querySelector('#page');
if (root !== null) render(<App />, root);
