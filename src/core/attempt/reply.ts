// What people write on an issue below an agent's question, and which question it answers. Only what is certain
// counts: an answer to the wrong question is worse than none.

import type { Question } from './question.ts';

/** Written by a person who may decide here; the forge leaves everybody else out. */
export interface Reply {
  /** Null where the forge knows no names. */
  readonly author: string | null;
  readonly text: string;
  readonly at: number;
  /** The keys of Banto's comments that stand before it. */
  readonly after: readonly string[];
  /** The one that it stands directly below, on a forge where people write below a comment. */
  readonly below?: string;
}

export interface ReplyAnswer {
  readonly questionId: string;
  readonly answer: string;
  readonly by: string | null;
}

const MOST_ANSWER = 20_000;
/** The forge's clock and ours differ a little. */
const CLOCK_SLACK_MS = 5000;
const NAMED = /^(q[1-9]\d{0,8})[:：]/i;
const ADDRESSED = /^@([A-Za-z0-9][A-Za-z0-9_.-]{0,49})[,:]?\s/;

/** Without the quotation that mail and `Quote reply` put on top. */
function withoutQuote(text: string): string {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('>'));
  return first < 0 ? '' : lines.slice(first).join('\n').trim();
}

interface Said {
  /** The question it names; null: none. */
  readonly named: string | null;
  /** Whom it speaks to; null: nobody by name. */
  readonly to: string | null;
  readonly words: string;
}

function said(text: string): Said {
  const plain = withoutQuote(text);
  const to = ADDRESSED.exec(plain);
  const rest = to === null ? plain : plain.slice(to[0].length).trim();
  const named = NAMED.exec(rest);
  const words = named === null ? rest : rest.slice(named[0].length).trim();
  return {
    named: named?.[1]?.toLowerCase() ?? null,
    to: to?.[1]?.toLowerCase() ?? null,
    words: words.slice(0, MOST_ANSWER).toWellFormed(),
  };
}

/**
 * The answers in these replies, oldest first. A reply answers the question that it names (`q2: …`), the one that it
 * stands below, or the only one that was open when it was written. One that speaks to somebody else by name answers
 * nothing.
 */
export function answersIn(
  questions: readonly Question[],
  keyOf: (questionId: string) => string,
  replies: readonly Reply[],
): ReplyAnswer[] {
  const answers: ReplyAnswer[] = [];
  const closed = new Set<string>();
  const isWaiting = ({ id, answer }: Question) => answer === null && !closed.has(id);
  for (const { text, author, at, after, below } of replies) {
    const { named, to, words } = said(text);
    const wasOpen = (question: Question) =>
      after.includes(keyOf(question.id)) &&
      (isWaiting(question) || (question.answeredAt ?? 0) > at - CLOCK_SLACK_MS);
    const meant = questions.filter((question) => {
      if (named !== null) return question.id === named && after.includes(keyOf(named));
      return below === undefined ? wasOpen(question) : keyOf(question.id) === below;
    });
    const [only, ...more] = meant;
    if (only === undefined || more.length > 0 || words === '' || !isWaiting(only)) continue;
    if (to !== null && to !== 'banto' && to !== only.agentId.toLowerCase()) continue;
    closed.add(only.id);
    answers.push({ questionId: only.id, answer: words, by: author });
  }
  return answers;
}
