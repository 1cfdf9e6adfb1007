// Where an issue and its pull request are found on the web.

/** Only addresses of the web: a file on the server cannot be opened from here. */
export function webAddress(url: string): string | null {
  return /^https?:\/\//.test(url) ? url : null;
}

/** GitHub's address of a pull request, from that of its issue. */
export function pullAddress(card: { issue_url: string; pr_number: number | null }): string | null {
  const base = webAddress(card.issue_url);
  if (base === null || card.pr_number === null) return null;
  return base.replace(/\/(issues|pull)\/\d+$/, `/pull/${card.pr_number}`);
}
