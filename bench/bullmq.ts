// The rival of the Redis bench: BullMQ with jobs fetched and completed by hand, on the same Redis.

import { Queue, Worker } from 'bullmq';
import { benchIssue } from './backlog.ts';

const BATCH = 1000;
/** HIGH, NORMAL and LOW as BullMQ has them: 1 is the most urgent. A third of the jobs have one, as in Banto's backlog. */
const PRIORITIES = [1, 3];

export interface Rival {
  fill(jobs: number): Promise<void>;
  fetchAndComplete(token: string): Promise<void>;
  close(): Promise<void>;
}

export async function openRival(port: number): Promise<Rival> {
  const connection = { host: '127.0.0.1', port };
  const queue = new Queue('bench', { connection });
  const worker = new Worker('bench', null, { connection });
  await worker.waitUntilReady();
  return {
    async fill(jobs) {
      for (let at = 0; at < jobs; at += BATCH) {
        const length = Math.min(BATCH, jobs - at);
        await queue.addBulk(
          Array.from({ length }, (_, index) => ({
            name: 'implement',
            data: benchIssue(at + index + 1),
            opts: { priority: PRIORITIES[(at + index + 1) % 6] ?? 2 },
          })),
        );
      }
    },
    async fetchAndComplete(token) {
      const job = await worker.getNextJob(token, { block: false });
      if (job === undefined || job === null) throw new Error('BullMQ ran out of jobs');
      await job.moveToCompleted('done', token, false);
    },
    async close() {
      await worker.close();
      await queue.close();
    },
  };
}
