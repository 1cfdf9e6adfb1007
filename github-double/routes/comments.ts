// Comments on issues and pull requests.

import type { Comment, Repo } from '../state.ts';
import { itemOf } from './issues.ts';
import { type Call, fields, page, Refusal, type Route, text } from './route.ts';

const base = '/repos/{owner}/{repo}/issues';
const one = `${base}/{issue_number}`;

function commentOf(call: Call, repo: Repo): Comment {
  const comment = repo.comments.get(Number(call.params['comment_id']));
  if (comment === undefined) throw new Refusal(404, 'Not Found');
  return comment;
}

export const commentRoutes: readonly Route[] = [
  {
    operation: `GET ${base}/comments`,
    needs: ['issues', 'pull_requests'],
    handle(call, repo) {
      const since = call.query.get('since');
      const way = call.query.get('direction') === 'desc' ? -1 : 1;
      const updated = call.query.get('sort') === 'updated';
      const all = [...repo.comments.values()]
        .filter((comment) => since === null || comment.updatedAt >= Date.parse(since))
        .sort((a, b) => way * (updated ? a.updatedAt - b.updatedAt || a.id - b.id : a.id - b.id));
      return page(call, all, (comment) => call.shapes.comment(repo, comment));
    },
  },
  {
    operation: `GET ${base}/comments/{comment_id}`,
    needs: ['issues', 'pull_requests'],
    handle: (call, repo) => ({
      status: 200,
      body: call.shapes.comment(repo, commentOf(call, repo)),
    }),
  },
  {
    operation: `PATCH ${base}/comments/{comment_id}`,
    needs: ['issues', 'pull_requests'],
    handle(call, repo) {
      const { id } = commentOf(call, repo);
      const body = text(fields(call)['body'], 'IssueComment', 'body');
      const comment = call.acts.editComment(repo, call.who.account, id, body);
      return { status: 200, body: call.shapes.comment(repo, comment) };
    },
  },
  {
    operation: `DELETE ${base}/comments/{comment_id}`,
    needs: ['issues', 'pull_requests'],
    handle(call, repo) {
      call.acts.removeComment(repo, call.who.account, commentOf(call, repo).id);
      return { status: 204 };
    },
  },
  {
    operation: `GET ${one}/comments`,
    needs: ['issues', 'pull_requests'],
    handle(call, repo) {
      const { number } = itemOf(call, repo);
      const since = call.query.get('since');
      const all = [...repo.comments.values()].filter(
        (comment) =>
          comment.number === number && (since === null || comment.updatedAt >= Date.parse(since)),
      );
      return page(call, all, (comment) => call.shapes.comment(repo, comment));
    },
  },
  {
    operation: `POST ${one}/comments`,
    needs: ['issues', 'pull_requests'],
    notifies: true,
    handle(call, repo) {
      const item = itemOf(call, repo);
      const body = text(fields(call)['body'], 'IssueComment', 'body');
      if (body.length > 65_536) {
        throw new Refusal(422, 'Validation Failed', {
          errors: [
            {
              resource: 'IssueComment',
              code: 'unprocessable',
              field: 'data',
              message: 'Body is too long (maximum is 65536 characters)',
            },
          ],
        });
      }
      if (item.locked && !call.canWrite(repo)) {
        throw new Refusal(403, 'Unable to create comment because issue is locked.');
      }
      const comment = call.acts.comment(repo, call.who.account, item.number, body);
      return { status: 201, body: call.shapes.comment(repo, comment) };
    },
  },
];
