// The verdict of a review, out of whatever the tool answered: its structured answer, or the last JSON in its text.

export interface Verdict {
  readonly verdict: 'approve' | 'request_changes';
  readonly summary: string;
  readonly comments: readonly string[];
}

/** What is wrong with the answer, as a sentence for the model. */
export interface BadVerdict {
  readonly problem: string;
}

const MOST_COMMENTS = 100;
const MOST_COMMENT = 10_000;
const MOST_SUMMARY = 20_000;

function jsonFrom(text: string, start: number): unknown {
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index += 1) {
    const letter = text[index];
    if (quoted) {
      if (letter === '\\') index += 1;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === '{') depth += 1;
    else if (letter === '}') {
      depth -= 1;
      if (depth > 0) continue;
      try {
        return JSON.parse(text.slice(start, index + 1));
      } catch {
        return undefined;
      }
    }
  }
  return undefined;
}

const NEAR_THE_END = 200_000;

/** The last object in the text that has a verdict; else the last object at all. */
function lastObject(text: string): unknown {
  const end = text.slice(-NEAR_THE_END);
  let other: unknown;
  for (let start = end.lastIndexOf('{'); start >= 0; start = end.lastIndexOf('{', start - 1)) {
    const value = jsonFrom(end, start);
    if (typeof value === 'object' && value !== null) {
      if (Object.hasOwn(value, 'verdict')) return value;
      other ??= value;
    }
    if (start === 0) break;
  }
  return other;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function checked(value: unknown): Verdict | BadVerdict {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'There is no JSON object with a verdict in it.' };
  }
  const { verdict, summary = '', comments = [] } = value as Record<string, unknown>;
  if (verdict !== 'approve' && verdict !== 'request_changes') {
    return { problem: '"verdict" must be "approve" or "request_changes".' };
  }
  if (!isText(summary)) return { problem: '"summary" must be text.' };
  if (!Array.isArray(comments) || !comments.every(isText)) {
    return { problem: '"comments" must be an array of texts.' };
  }
  const kept = comments.map((one) => one.trim()).filter((one) => one !== '');
  if (verdict === 'request_changes' && kept.length === 0) {
    return { problem: '"request_changes" needs at least one comment that says what to change.' };
  }
  return {
    verdict,
    summary: summary.replaceAll('\0', '').slice(0, MOST_SUMMARY),
    comments: kept
      .slice(0, MOST_COMMENTS)
      .map((one) => one.replaceAll('\0', '').slice(0, MOST_COMMENT)),
  };
}

export function readVerdict(structured: unknown, text: string): Verdict | BadVerdict {
  if (structured === undefined || structured === null) return checked(lastObject(text));
  return checked(isText(structured) ? lastObject(structured) : structured);
}

export function isVerdict(value: Verdict | BadVerdict): value is Verdict {
  return 'verdict' in value;
}
