// The local backlog: list, show, add, edit, close and reopen issues.

import type { IssueChange } from '../../../core/forge.ts';
import {
  AddIssueBody,
  EditIssueBody,
  IssueAnswer,
  IssueParams,
  IssuesAnswer,
} from '../../schema/issues.ts';
import { issueView } from '../../views/issue.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

const read = { access: 'read' } as const;
const change = { access: 'operator' } as const;
const tag = 'issues' as const;

function toChange(body: EditIssueBody): IssueChange {
  const { title, body: text, add_labels, remove_labels, priority, blocked_by, state } = body;
  const relabels = add_labels !== undefined || remove_labels !== undefined;
  return {
    ...(title === undefined ? {} : { title }),
    ...(text === undefined ? {} : { body: text.toWellFormed() }),
    ...(relabels ? { labels: { add: add_labels ?? [], remove: remove_labels ?? [] } } : {}),
    ...(priority === undefined ? {} : { priority }),
    ...(blocked_by === undefined ? {} : { blockedBy: blocked_by }),
    ...(state === undefined ? {} : { state }),
  };
}

export function routeIssues(app: App, { broker, observe }: Door): void {
  const list = describe({
    tag,
    summary: 'All issues of the local backlog, open and closed',
    answer: IssuesAnswer,
    errors: [409],
  });
  app.get('/issues', { config: read, schema: list }, async () => ({
    issues: (await observe('issues', () => broker.issues())).map(issueView),
  }));

  const show = describe({
    tag,
    summary: 'One issue of the local backlog',
    params: IssueParams,
    answer: IssueAnswer,
    errors: [404, 409],
  });
  app.get('/issues/:number', { config: read, schema: show }, async ({ params }) =>
    issueView(await observe('issue', () => broker.issue(params.number))),
  );

  const add = describe({
    tag,
    summary: 'Add an issue to the local backlog',
    body: AddIssueBody,
    answer: IssueAnswer,
    errors: [409],
  });
  app.post('/issues', { config: change, schema: add }, async ({ body, caller: { by } }) => {
    const issue = {
      title: body.title,
      body: body.body?.toWellFormed() ?? '',
      labels: body.labels ?? [],
      priority: body.priority ?? null,
      blockedBy: body.blocked_by ?? [],
    };
    return issueView(await observe('add_issue', () => broker.addIssue(issue, { by })));
  });

  const edit = describe({
    tag,
    summary: 'Edit, close or reopen an issue of the local backlog',
    params: IssueParams,
    body: EditIssueBody,
    answer: IssueAnswer,
    errors: [404, 409],
  });
  app.patch(
    '/issues/:number',
    { config: change, schema: edit },
    async ({ params: { number }, body, caller: { by } }) => {
      const edited = () => broker.editIssue(number, toChange(body), { by });
      return issueView(await observe('edit_issue', edited));
    },
  );
}
