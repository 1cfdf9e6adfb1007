// The tasks that links on the page lead to. Bars of the timeline are links too, of a kind that has no pathname.

const PREFIX = '/tasks/';

export function linkedTasks(links: Iterable<Pick<Element, 'getAttribute'>>): Set<string> {
  const paths = [...links].map((link) => link.getAttribute('href') ?? '');
  return new Set(
    paths
      .filter((path) => path.startsWith(PREFIX))
      .map((path) => decodeURIComponent(path.slice(PREFIX.length).split(/[?#]/)[0] ?? '')),
  );
}
