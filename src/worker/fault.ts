// Something is wrong with the worker, not with the task: the task is given back without an attempt, and the
// worker ends with this sentence instead of spoiling the whole backlog.

export class WorkerFault extends Error {}
