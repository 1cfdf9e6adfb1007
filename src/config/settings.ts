// Every setting there is. The shipped JSON schema, the loader and the
// check of docs/settings.md all read this table.

import {
  DEFAULT_POLICY,
  HEADING_LIST,
  LABEL_LIST,
  type ListBounds,
  POLICY_NUMBERS,
} from '../core/settings.ts';
import { REDIS_SETTINGS } from './redis-settings.ts';
import { list, oneOf, type Setting, text, wholeNumber, yesOrNo } from './setting.ts';
import { ANY_LINE, hostName, path, token } from './words.ts';
import { WORK_SETTINGS } from './work-settings.ts';

const WEB_ADDRESS = '^https?://[^\\s]+$';

const webAddress = text('an address that begins with http:// or https://', WEB_ADDRESS);
const labels = boundedList(LABEL_LIST);

function boundedList({ what, pattern, ...bounds }: ListBounds) {
  const allowed = `${what} of 1 to ${bounds.maxLength} characters, several by comma`;
  return list(allowed, pattern, bounds);
}

function number(key: keyof typeof POLICY_NUMBERS): Pick<Setting, 'kind' | 'fallback'> {
  return { kind: wholeNumber(...POLICY_NUMBERS[key]), fallback: DEFAULT_POLICY[key] };
}

const server: Setting[] = [
  {
    name: 'BROKER_PORT',
    flag: '--port',
    kind: wholeNumber(0, 65_535),
    fallback: 8080,
    about: 'The port Banto listens on; 0 takes any free one.',
  },
  {
    name: 'BROKER_HOST',
    flag: '--host',
    kind: hostName,
    fallback: '127.0.0.1',
    about: 'The address Banto listens on. Any other than loopback needs tokens.',
  },
  {
    name: 'REQUIRE_TOKENS',
    kind: yesOrNo(),
    fallback: false,
    about: 'Ask for a token on loopback too. Needed behind a proxy.',
  },
  {
    name: 'ALLOWED_HOSTS',
    kind: list(
      'host names, with the port where it is not the usual one, several by comma',
      '^[A-Za-z0-9._-]+(?::[0-9]{1,5})?$',
      { maxLength: 255 },
    ),
    fallback: [],
    about: 'Further names this server is reached by through a proxy.',
  },
  {
    name: 'LOG_LEVEL',
    flag: '--log-level',
    kind: oneOf(['silent', 'error', 'warn', 'info', 'debug']),
    fallback: 'info',
    about: 'How much is logged.',
  },
  {
    name: 'LOG_FORMAT',
    kind: oneOf(['pretty', 'json']),
    about: 'Log lines for people, or JSON. Not set: pretty on a terminal, JSON elsewhere.',
  },
  {
    name: 'NOTIFY_URL',
    kind: webAddress,
    secret: true,
    about:
      'The webhook that is told what needs a person. Slack and tools like it show the message as it is.',
  },
  {
    name: 'NOTIFY_SECRET',
    kind: text('a text without control characters', ANY_LINE),
    secret: true,
    about: 'Signs those messages: `banto-signature` is the HMAC-SHA256 of the body.',
  },
  {
    name: 'BANTO_DATA_DIR',
    flag: '--data-dir',
    kind: path,
    fallback: '.banto',
    path: true,
    about:
      'The folder of what Banto keeps. Default: `.banto` in the repository for the local forge, here otherwise.',
  },
  {
    name: 'PROMPTS_DIR',
    kind: path,
    path: true,
    about:
      'A folder with prompts of your own: `implement.md`, `review.md`, `fix.md`. Default: `.banto/prompts` in the repository for the local forge, none otherwise.',
  },
];

const forge: Setting[] = [
  {
    name: 'FORGE',
    flag: '--forge',
    kind: oneOf(['local', 'github']),
    about:
      'Where the issues are. Not set: `github` when GITHUB_REPOSITORY was given (in a codespace: not by the environment), else `local`.',
  },
  {
    name: 'BANTO_REPO',
    flag: '--repo',
    kind: path,
    fallback: '.',
    path: true,
    about: "The local forge's git repository. Default: the one that the current folder is in.",
  },
  {
    name: 'BACKLOG_DIR',
    flag: '--backlog',
    kind: text(
      'a folder inside the repository: a relative path without ".."',
      '^(?!/)(?!(?:.*/)?\\.\\.(?:/|$))[^\\u0000-\\u001f\\u007f\\\\]+$',
    ),
    fallback: 'backlog',
    about: 'The folder in that repository that holds the issues.',
  },
  {
    name: 'GITHUB_TOKEN',
    kind: token,
    secret: true,
    about: 'The token for GitHub. Alone it changes nothing.',
  },
  {
    name: 'GITHUB_REPOSITORY',
    flag: '--github-repository',
    kind: list(
      'owner/repo, several by comma',
      '^[A-Za-z0-9][A-Za-z0-9-]*/(?!\\.{1,2}$)[A-Za-z0-9._-]+$',
      { minItems: 1, maxLength: 140 },
    ),
    about: 'The repositories whose issues are handed out.',
  },
  {
    name: 'GITHUB_API_URL',
    kind: webAddress,
    fallback: 'https://api.github.com',
    about: 'For GitHub Enterprise Server.',
  },
  {
    name: 'GITHUB_APP_ID',
    kind: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    about: 'A GitHub App instead of GITHUB_TOKEN; with the two settings below.',
  },
  {
    name: 'GITHUB_APP_PRIVATE_KEY',
    kind: {
      ...text('a private key in PEM form', '^-----BEGIN [A-Z ]*PRIVATE KEY-----', 16_384),
      // Variables cannot always carry line breaks: `\n` written out stands for one.
      read: (value) => value.replaceAll('\\n', '\n'),
    },
    secret: true,
    about: "The App's private key (PEM; `\\n` may stand for a line break).",
  },
  {
    name: 'GITHUB_INSTALLATION_ID',
    kind: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    about: "The App's installation.",
  },
  {
    name: 'GITHUB_WEBHOOK_SECRET',
    kind: text('a text without control characters', ANY_LINE),
    secret: true,
    about: 'Without it the webhook route answers 404.',
  },
  {
    name: 'REVIEW_PUSHES',
    kind: yesOrNo(),
    fallback: false,
    about:
      'Give out a review for each push to the default branch; heard of by webhook, or by polling.',
  },
  {
    name: 'TRUSTED_ONLY',
    kind: yesOrNo(),
    fallback: false,
    about:
      'Hand out only issues that somebody with write access wrote, or labelled after the last edit.',
  },
  {
    name: 'GITHUB_WRITES_PER_MINUTE',
    kind: wholeNumber(1, 80),
    fallback: 60,
    about: 'How many writes a minute GitHub gets from Banto in the long run.',
  },
  {
    name: 'GITHUB_WRITE_BURST',
    kind: wholeNumber(1, 60),
    fallback: 20,
    about: 'How many writes may go out at once before that pace begins.',
  },
];

const policy: Setting[] = [
  {
    name: 'LEASE_SECONDS',
    ...number('leaseSeconds'),
    about: 'How long a lease lives without a heartbeat, where the agent does not say.',
  },
  {
    name: 'REVIEW_DELAY_SECONDS',
    ...number('reviewDelaySeconds'),
    about: 'How long people may review before an agent does.',
  },
  {
    name: 'TICKET_TTL_SECONDS',
    ...number('ticketTtlSeconds'),
    about: 'After this long a waiting request is forgotten.',
  },
  {
    name: 'MAX_ATTEMPTS',
    ...number('maxAttempts'),
    about: 'Failed and expired leases before a task is dead and a person is asked.',
  },
  {
    name: 'MAX_REVIEW_ROUNDS',
    ...number('maxReviewRounds'),
    about: 'Reviews that ask for changes before a person is asked.',
  },
  {
    name: 'AUTHOR_FIRST_SECONDS',
    ...number('authorFirstSeconds'),
    about: 'How long a fix is offered to its author alone.',
  },
  {
    name: 'EXCLUDED_LABELS',
    kind: labels,
    fallback: DEFAULT_POLICY.excludedLabels,
    about: 'Issues with one of these labels are never handed out.',
  },
  {
    name: 'REQUIRE_DELIVERABLES',
    kind: yesOrNo(),
    fallback: DEFAULT_POLICY.requireDeliverables,
    about: 'Hold issues whose body has no deliverables section with content.',
  },
  {
    name: 'DELIVERABLES_HEADINGS',
    kind: boundedList(HEADING_LIST),
    fallback: DEFAULT_POLICY.deliverablesHeadings,
    about: 'The headings that begin such a section.',
  },
  {
    name: 'PRIORITY_LABELS_HIGH',
    kind: labels,
    fallback: DEFAULT_POLICY.priorityLabels.high,
    about: 'Labels that mean priority HIGH.',
  },
  {
    name: 'PRIORITY_LABELS_NORMAL',
    kind: labels,
    fallback: DEFAULT_POLICY.priorityLabels.normal,
    about: 'Labels that mean priority NORMAL, as no label does.',
  },
  {
    name: 'PRIORITY_LABELS_LOW',
    kind: labels,
    fallback: DEFAULT_POLICY.priorityLabels.low,
    about: 'Labels that mean priority LOW.',
  },
  {
    name: 'ADOPT_SECONDS',
    ...number('adoptSeconds'),
    about: 'How long an issue that says in-progress without a lease is left alone.',
  },
  {
    name: 'MAX_WAITING',
    ...number('maxWaiting'),
    about: 'Requests that may wait at once; more are answered 503.',
  },
  {
    name: 'MAX_WAITING_PER_AGENT',
    ...number('maxWaitingPerAgent'),
    about: 'The same, for one agent.',
  },
  {
    name: 'HISTORY_DAYS',
    ...number('historyDays'),
    about: 'How long facts and results are kept.',
  },
];

const client: Setting[] = [
  {
    name: 'BANTO_URL',
    flag: '--url',
    kind: webAddress,
    client: true,
    about:
      'The server that commands talk to. Default: BROKER_HOST and BROKER_PORT of the same configuration.',
  },
  {
    name: 'SERVER_URL',
    kind: webAddress,
    client: true,
    about: 'Accepted for BANTO_URL, which wins.',
  },
  {
    name: 'BANTO_TOKEN',
    kind: token,
    secret: true,
    client: true,
    about: 'The token commands send; from `banto token create`.',
  },
  {
    name: 'BANTO_AGENT',
    flag: '--agent',
    kind: text(
      '1 to 50 letters, digits, ".", "_" and "-", beginning with a letter or digit',
      '^[A-Za-z0-9][A-Za-z0-9._-]*$',
      50,
    ),
    client: true,
    about: 'Stands for `--agent`.',
  },
  {
    name: 'BANTO_TASK_ID',
    kind: token,
    client: true,
    variableOnly: true,
    about: 'Stands for the task argument of heartbeat, complete, fail and release.',
  },
  {
    name: 'BANTO_LEASE_TOKEN',
    flag: '--token',
    kind: token,
    secret: true,
    client: true,
    variableOnly: true,
    about: 'Stands for `--token` of the same commands.',
  },
  {
    name: 'BANTO_CONFIG',
    flag: '--config',
    kind: path,
    path: true,
    client: true,
    variableOnly: true,
    about:
      'The configuration file; `--config` stands above it. Default: `banto.config.json` here or in the root of the repository.',
  },
];

export const SETTINGS: readonly Setting[] = [
  ...server,
  ...forge,
  ...REDIS_SETTINGS,
  ...policy,
  ...client,
  ...WORK_SETTINGS,
];
