// What agents and people said to each other about a task: questions with their answers, and review comments.

import type { Detail } from '../../data/contract.ts';
import { Glyph } from '../../parts/marks.tsx';
import { Reply } from '../../parts/reply.tsx';
import { Age } from '../../parts/when.tsx';
import { words } from '../../words/words.ts';

export function Questions({ detail }: { detail: Detail }) {
  const { task: text, needs } = words.value;
  if (detail.questions.length === 0) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.questions}</h2>
      </div>
      <ul>
        {detail.questions.toReversed().map((each) => (
          <li key={each.question_id} class={each.open ? 'need hot q' : 'need cool q'}>
            <Glyph name="ask" />
            <p class="what">{needs.asks(each.agent_id)}</p>
            <span class="age">
              <Age since={each.asked_at} />
            </span>
            <p class="ask pre">{each.question}</p>
            {each.answer === null ? null : (
              <p class="answer pre">
                <b>{text.answered}</b> {each.answer}
              </p>
            )}
            {each.open ? (
              <Reply taskId={detail.task_id} questionId={each.question_id} agent={each.agent_id} />
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Comments({ detail }: { detail: Detail }) {
  const { task: text } = words.value;
  const comments = [...detail.review_comments, ...(detail.result?.comments ?? [])];
  if (comments.length === 0) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.comments}</h2>
      </div>
      <ul class="panel-body prose">
        {[...new Set(comments)].map((comment) => (
          <li key={comment} class="pre">
            {comment}
          </li>
        ))}
      </ul>
    </section>
  );
}
