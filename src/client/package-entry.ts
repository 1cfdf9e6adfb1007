// What `import … from 'banto/client'` gives: the typed client, the shapes of its answers, its one error.

export { BantoError, type ErrorCode } from '../core/errors.ts';
export type { AssignmentAnswer as Assignment } from '../doors/schema/request-task.ts';
export type { TaskAnswer as Task, TaskDetailAnswer as TaskDetail } from '../doors/schema/task.ts';
export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts';
