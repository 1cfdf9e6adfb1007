// Which events are worth a line to people. Alone in its file: the page, too, decides by it, and carries nothing else of
// the server.

export { isTold } from '../../core/facts.ts';
