import { startGithubDouble } from '../../github-double/double.ts';
import { forgeOn, SECRET } from '../support/github/forge.ts';
import { startReceiver } from '../support/github/receiver.ts';
import { type ForgeSetup, testForge } from './forge.ts';

const REPOSITORY = 'octo/shop';

async function setup(): Promise<ForgeSetup> {
  const github = await startGithubDouble({ repositories: [REPOSITORY], limits: false });
  const forge = forgeOn(github);
  const receiver = await startReceiver(forge);
  github.webhooks.pointTo({ url: receiver.url, secret: SECRET });
  const person = github.as('ann');
  const repo = github.world.repo(REPOSITORY);
  return {
    forge,
    repository: REPOSITORY,
    seedIssue: async ({ title = 'An issue', body = 'text', labels = [], state = 'open' }) => {
      const { number } = person.openIssue(REPOSITORY, { title, body, labels });
      if (state === 'closed') person.close(REPOSITORY, number);
      return number;
    },
    editIssue: async (number, { title, body, labels, state }) => {
      const text = {
        ...(title === undefined ? {} : { title }),
        ...(body === undefined ? {} : { body }),
      };
      person.edit(REPOSITORY, number, text);
      if (labels !== undefined) {
        person.unlabel(REPOSITORY, number, ...github.labels(REPOSITORY, number));
        person.label(REPOSITORY, number, ...labels);
      }
      if (state === 'closed') person.close(REPOSITORY, number);
      if (state === 'open') person.reopen(REPOSITORY, number);
    },
    deleteIssue: async (number) => person.remove(REPOSITORY, number),
    readLabels: async (number) => github.labels(REPOSITORY, number),
    branches: async () => [...repo.refs.keys()].map((ref) => ref.replace(/^heads\//, '')),
    comments: async (number) =>
      [...repo.comments.values()].filter((one) => one.number === number).map((one) => one.body),
    close: async () => {
      await github.webhooks.delivered();
      await forge.close();
      await receiver.close();
      await github.close();
    },
  };
}

testForge('github', setup);
