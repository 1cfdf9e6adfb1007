// The name of a call in the API description: generated clients make it the name of a function.

const singular = (word: string) => word.replace(/s$/, '');

function camel(...words: readonly string[]): string {
  const [first = '', ...rest] = words.flatMap((word) => word.split(/[^A-Za-z0-9]+/));
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const ON_ONE: Readonly<Record<string, string>> = {
  get: 'get',
  put: 'set',
  patch: 'edit',
  delete: 'delete',
};

/** `post /api/v1/tasks/{task_id}/complete` is `completeTask`, `get /api/v1/tasks` is `listTasks`. */
export function operationId(method: string, path: string): string {
  const steps = path.split('/').filter((step) => step !== '' && step !== 'api' && step !== 'v1');
  const words = steps.filter((step) => !step.startsWith('{'));
  const [noun = 'signpost', verb] = words;
  if (verb !== undefined) {
    return method === 'post' || method === 'delete'
      ? camel(verb, singular(noun))
      : camel(method, singular(noun), verb);
  }
  if (steps.at(-1)?.startsWith('{')) return camel(ON_ONE[method] ?? method, singular(noun));
  if (method === 'get') return camel(noun.endsWith('s') ? 'list' : 'get', noun);
  return noun.includes('-') ? camel(noun) : camel('create', singular(noun));
}
