// Questions that agents ask people while they work. The lease is paused meanwhile.

export interface Question {
  /** Names it among the questions of its task: q1, q2, … */
  readonly id: string;
  readonly agentId: string;
  /** The lease it was asked in. */
  readonly fence: number;
  readonly question: string;
  readonly askedAt: number;
  readonly answer: string | null;
  readonly answeredAt: number | null;
}

/** Of one lease, at a time: each is a comment on the issue, and each pauses the lease again. */
export const MOST_OPEN_QUESTIONS = 5;

/** Older ones are forgotten when a new one is asked. */
export const QUESTIONS_KEPT = 20;

export function nextQuestionId(questions: readonly Question[]): string {
  const last = questions.at(-1);
  return `q${last === undefined ? 1 : Number(last.id.slice(1)) + 1}`;
}

/** Nobody has answered it, and the agent that asked still waits. */
export function isOpen(question: Question, fence: number | null): boolean {
  return question.answer === null && question.fence === fence;
}

/** Nobody has answered it, and it is not so old that nobody will. */
export function waitsForAnswer(question: Question, askMs: number, now: number): boolean {
  return question.answer === null && question.askedAt + askMs > now;
}

/** What people decided counts for the tasks that follow as well: their agents are told, and need not ask again. */
export function answeredOf(questions: readonly Question[]): readonly Question[] {
  return questions.filter(({ answer }) => answer !== null);
}

/** The event of the comment that shows a question on the issue. */
export const askedEvent = (questionId: string): string => `asked-${questionId}`;

export function questionOfEvent(event: string): string | null {
  return /^asked-(q\d+)$/.exec(event)?.[1] ?? null;
}
