// The field in which a person answers an agent.

import { useRef } from 'preact/hooks';
import { answerQuestion, canAct } from '../data/actions.tsx';
import { offers } from '../data/state.ts';
import { words } from '../words/words.ts';

export function Reply(props: { taskId: string; questionId: string; agent: string }) {
  const { taskId, questionId, agent } = props;
  const field = useRef<HTMLInputElement>(null);
  const text = words.value.needs;
  if (!canAct() || !offers('answer')) return null;
  const id = `answer-${taskId}`;
  return (
    <form
      class="reply"
      onSubmit={(event) => {
        event.preventDefault();
        const value = field.current?.value.trim() ?? '';
        if (value !== '') void answerQuestion(taskId, questionId, agent, value);
      }}
    >
      <div>
        <label class="sr" for={id}>
          {text.answerTo(agent)}
        </label>
        <input ref={field} class="field" id={id} placeholder={text.answerPlaceholder} />
      </div>
      <button type="submit" class="btn primary">
        {text.answer}
      </button>
    </form>
  );
}
