// Kinds of words that several settings share.

import { text } from './setting.ts';

export const ANY_LINE = '^[^\\u0000-\\u001f\\u007f]+$';

export const path = text('a path without control characters', ANY_LINE);
export const token = text('one word without spaces', '^[\\u0021-\\u007e]+$');
export const hostName = text('a host name or an IP address', '^[A-Za-z0-9._:\\[\\]%-]+$', 255);
