// What a browser sees under an issue's `html_url`: enough that a link from a dashboard or a demo leads somewhere.

import { labelsOf, type World } from '../state.ts';

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** The page of `/owner/repo/issues/7` or `/owner/repo/pull/7`; null where there is none. */
export function pageOf(world: World, path: string): string | null {
  const [, name = '', number = ''] = /^\/([^/]+\/[^/]+)\/(?:issues|pull)\/(\d+)$/.exec(path) ?? [];
  const repo = world.repos.get(name.toLowerCase());
  const item = repo?.items.get(Number(number));
  if (repo === undefined || item === undefined) return null;
  const comments = [...repo.comments.values()].filter((one) => one.number === item.number);
  const said = comments.map(
    ({ author, body }) => `<h2>${escaped(author.login)}</h2><pre>${escaped(body)}</pre>`,
  );
  const labels = labelsOf(repo, item).map((label) => `<code>${escaped(label.name)}</code>`);
  return [
    `<!DOCTYPE html><meta charset="utf-8"><title>${escaped(item.title)} #${item.number}</title>`,
    `<h1>${escaped(item.title)} #${item.number}</h1><p>${item.state} ${labels.join(' ')}</p>`,
    `<pre>${escaped(item.body ?? '')}</pre>`,
    ...said,
  ].join('\n');
}
