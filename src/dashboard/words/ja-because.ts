// The reasons under Why in Japanese, by the word that the server gives each. What is not here is shown in English.

type Values = Readonly<Record<string, string>>;

const offered = ({ agent, offers }: Values) =>
  offers === undefined ? `${agent} は能力を登録していません` : `${agent} の能力は ${offers} です`;

const PROBLEMS: Readonly<Record<string, (detail: string) => string>> = {
  unsafe_name: () => '使える文字は英数字と ._/+- だけで、git が受け付ける形に限ります',
  default_branch: () => '既定のブランチであるか、その妨げになります',
  reserved_name: () => 'ほかの課題のブランチであるか、その妨げになります',
  used_by: (detail) => `課題 ${detail} が使っているか、それと共存できません`,
  exists: () => '同じ名前のブランチがあり、この課題のために作られたものではありません',
  refused: () => '既にあってこの課題のために作られたものではないか、ほかのブランチと共存できません',
  unchecked: () => 'そのブランチがあるかどうかをフォージにまだ確認できていません',
};

function problemText(problem: string | undefined): string {
  const [word = '', detail = ''] = (problem ?? '').split(':');
  return PROBLEMS[word]?.(detail) ?? problem ?? '';
}

export const becauseOf: Readonly<Record<string, (values: Values) => string>> = {
  state: ({ state, agent, reason }) =>
    `タスクの状態は「${state}」${agent === undefined ? '' : `（担当 ${agent}）`}です${reason === undefined ? '' : `：${reason}`}。`,
  not_paused: () => '割り当ては止められていません。',
  paused: () => 'オペレーターが割り当てを一時停止しています。',
  paused_agent: ({ agent }) => `オペレーターが ${agent} への割り当てを一時停止しています。`,
  paused_repository: ({ repository }) =>
    `オペレーターが ${repository} からの割り当てを一時停止しています。`,
  priority: ({ name, priority, attempt }) => `優先度 ${name}（${priority}）、試行 ${attempt}。`,
  day_budget: ({ spent, limit }) =>
    `今日の費用は ${spent} で、1 日の上限 ${limit}（MAX_COST_PER_DAY_USD）に達しました。UTC の 0 時に再開します。`,
  agent_day_budget: ({ agent, spent, limit }) =>
    `${agent} の今日の費用は ${spent} で、エージェントの 1 日の上限 ${limit}（MAX_COST_PER_AGENT_DAY_USD）に達しました。UTC の 0 時に再開します。`,
  branch: ({ branch }) => `課題の指定どおり、ブランチ ${branch} を使います。`,
  branch_not_followed: ({ wish, problem, branch }) =>
    `課題はブランチ ${wish} を指定していますが、${problemText(problem)}。そのため ${branch} を使います。`,
  dependencies: ({ self, unknown, cycle }) =>
    [
      self === undefined ? '' : `${self} は自分自身を待つ指定になっています（無視します）。`,
      unknown === undefined ? '' : `待つ相手の ${unknown} は存在しません（無視します）。`,
      cycle === undefined
        ? ''
        : `依存関係が循環しています（${cycle}）。どれも割り当てられないので、一つを外してください。`,
    ].join(''),
  own_change: ({ agent }) => `${agent} はこの変更を書いたので、レビューできません。`,
  review_capability: (values) => `レビューには能力 review が必要です。${offered(values)}。`,
  no_labels: (values) =>
    `課題にラベルがないため、* を登録したエージェントだけが受け取れます。${offered(values)}。`,
  labels: (values) => {
    const { labels, matching } = values;
    const match =
      matching === undefined
        ? '一致するものはありません'
        : matching === '*'
          ? '* はすべてに一致します'
          : `${matching} が一致します`;
    return `課題のラベルは ${labels} です。${offered(values)}。${match}。`;
  },
  author_first: ({ author }) => `まず作成者の ${author} に割り当てます。`,
  agent_free: ({ agent }) => `${agent} はタスクを持っていません。`,
  agent_holds_this: ({ agent }) => `${agent} はほかのタスクを持っていません。`,
  agent_holds: ({ agent, tasks }) => `${agent} はまだ ${tasks} を持っています。`,
};
