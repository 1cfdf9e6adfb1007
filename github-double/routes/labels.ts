// Labels of a repository and on its issues. Names compare without case; what is unknown is created when added.

import { type Label, labelNamed, type Repo } from '../state.ts';
import { itemOf, replaceLabels } from './issues.ts';
import {
  type Answer,
  type Call,
  fields,
  invalid,
  page,
  Refusal,
  type Route,
  text,
} from './route.ts';

const onIssue = '/repos/{owner}/{repo}/issues/{issue_number}/labels';
const ofRepo = '/repos/{owner}/{repo}/labels';

function checked(name: unknown): string {
  const value = text(name, 'Label', 'name');
  if (Array.from(value).length > 50) {
    throw new Refusal(422, 'Validation Failed', {
      errors: [
        {
          resource: 'Label',
          code: 'custom',
          field: 'name',
          message: 'name is too long (maximum is 50 characters)',
        },
      ],
    });
  }
  if (value.trim() === '' || value.includes('\n')) throw invalid('Label', 'name', 'invalid', value);
  return value;
}

/** GitHub takes an object, an array of names, an array of objects, or one name. */
function wanted(call: Call): string[] {
  const { body } = call;
  const list =
    typeof body === 'string'
      ? [body]
      : Array.isArray(body)
        ? (body as unknown[])
        : fields(call)['labels'];
  if (!Array.isArray(list)) throw invalid('Issue', 'labels', 'missing_field');
  return list.map((one: unknown) =>
    checked(typeof one === 'string' ? one : (one as { name?: unknown } | null)?.name),
  );
}

function tooMany(count: number): void {
  if (count > 100) throw invalid('Issue', 'labels', 'custom');
}

function named(call: Call, repo: Repo): Label {
  const label = labelNamed(repo, call.params['name'] ?? '');
  if (label === undefined) throw new Refusal(404, 'Not Found');
  return label;
}

function shown(call: Call, repo: Repo): Answer {
  return { status: 200, body: call.shapes.labels(repo, itemOf(call, repo)) };
}

function looks(call: Call): { color?: string; description?: string | null } {
  const { color, description } = fields(call);
  const hexadecimal = typeof color === 'string' && /^[0-9a-f]{6}$/i.test(color);
  if (color !== undefined && !hexadecimal) {
    throw invalid('Label', 'color', 'invalid');
  }
  if (typeof description === 'string' && description.length > 100) {
    throw invalid('Label', 'description', 'custom');
  }
  return {
    ...(hexadecimal ? { color } : {}),
    ...(description === undefined ? {} : { description: description as string | null }),
  };
}

const needs = ['issues', 'pull_requests'] as const;

export const labelRoutes: readonly Route[] = [
  {
    operation: `GET ${onIssue}`,
    needs,
    handle(call, repo) {
      const item = itemOf(call, repo);
      return page(call, call.shapes.labels(repo, item), (label) => label);
    },
  },
  {
    operation: `POST ${onIssue}`,
    needs,
    handle(call, repo) {
      const item = itemOf(call, repo);
      const names = wanted(call);
      const all = new Set([
        ...item.labels.flatMap((id) => repo.labels.get(id)?.name.toLowerCase() ?? []),
        ...names.map((name) => name.toLowerCase()),
      ]);
      tooMany(all.size);
      call.acts.label(repo, call.who.account, item.number, names);
      return shown(call, repo);
    },
  },
  {
    operation: `PUT ${onIssue}`,
    needs,
    handle(call, repo) {
      const names = wanted(call);
      tooMany(names.length);
      replaceLabels(call, repo, itemOf(call, repo).number, names);
      return shown(call, repo);
    },
  },
  {
    operation: `DELETE ${onIssue}`,
    needs,
    handle(call, repo) {
      replaceLabels(call, repo, itemOf(call, repo).number, []);
      return { status: 204 };
    },
  },
  {
    operation: `DELETE ${onIssue}/{name}`,
    needs,
    handle(call, repo) {
      const item = itemOf(call, repo);
      const label = labelNamed(repo, call.params['name'] ?? '');
      if (label === undefined || !item.labels.includes(label.id)) {
        throw new Refusal(404, 'Label does not exist');
      }
      call.acts.unlabel(repo, call.who.account, item.number, [label.name]);
      return shown(call, repo);
    },
  },
  {
    operation: `GET ${ofRepo}`,
    needs,
    handle: (call, repo) =>
      page(call, [...repo.labels.values()], (label) => call.shapes.label(repo, label)),
  },
  {
    operation: `POST ${ofRepo}`,
    needs,
    handle(call, repo) {
      const name = checked(fields(call)['name']);
      const more = looks(call);
      if (labelNamed(repo, name) !== undefined) throw invalid('Label', 'name', 'already_exists');
      const label = call.acts.createLabel(repo, call.who.account, { name, ...more });
      return { status: 201, body: call.shapes.label(repo, label) };
    },
  },
  {
    operation: `GET ${ofRepo}/{name}`,
    needs,
    handle: (call, repo) => ({ status: 200, body: call.shapes.label(repo, named(call, repo)) }),
  },
  {
    operation: `PATCH ${ofRepo}/{name}`,
    needs,
    handle(call, repo) {
      const { id } = named(call, repo);
      const renamed = fields(call)['new_name'];
      const to = { ...looks(call), ...(renamed === undefined ? {} : { name: checked(renamed) }) };
      const rival = to.name === undefined ? undefined : labelNamed(repo, to.name);
      if (rival !== undefined && rival.id !== id) throw invalid('Label', 'name', 'already_exists');
      const label = call.acts.editLabel(repo, call.who.account, id, to);
      return { status: 200, body: call.shapes.label(repo, label) };
    },
  },
  {
    operation: `DELETE ${ofRepo}/{name}`,
    needs,
    handle(call, repo) {
      call.acts.removeLabel(repo, call.who.account, named(call, repo).id);
      return { status: 204 };
    },
  },
];
