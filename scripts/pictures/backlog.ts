// The shop of the pictures: three repositories with a backlog as people write it.

import type { Issue } from '../../src/core/issue.ts';

const DELIVERABLES = '\n\n## Acceptance criteria\n\n- it works as described\n- a test covers it\n';

type Row = readonly [
  repository: string,
  number: number,
  title: string,
  labels: readonly string[],
  more?: { readonly body?: string; readonly blockedBy?: readonly number[] },
];

const ROWS: readonly Row[] = [
  ['acme/shop', 388, 'Stack two coupons', ['checkout', 'priority:high']],
  [
    'acme/shop',
    391,
    'Multi-currency price list',
    ['catalog'],
    { body: 'Prices in yen and dollars.' },
  ],
  ['acme/shop', 396, 'Send the receipt in the buyer’s language', ['i18n', 'mail', 'priority:high']],
  ['acme/shop', 399, 'Keep filters when paging', ['frontend', 'catalog']],
  ['acme/shop', 401, 'Flaky payment timeout test', ['tests', 'priority:high']],
  ['acme/shop', 402, 'Alt text for product pictures', ['a11y', 'frontend']],
  ['acme/shop', 405, 'Full-width digits match half-width in search', ['search', 'priority:high']],
  ['acme/shop', 409, 'Loyalty points at checkout', ['checkout', 'api'], { blockedBy: [412] }],
  ['acme/shop', 412, 'Keep the cart when the session expires', ['checkout', 'priority:high']],
  [
    'acme/shop',
    415,
    'Guest address form loses the prefecture on back',
    ['frontend', 'forms', 'priority:high'],
    {
      body: 'A guest fills in the address, goes on to payment, presses back: every field is kept but the prefecture.\n\n## Acceptance criteria\n\n- Back and forward keep all fields, prefecture included\n- No personal data in the address bar\n- An end-to-end test covers it\n',
    },
  ],
  [
    'acme/shop',
    418,
    'Idempotency key for the refund webhook',
    ['payments', 'api', 'priority:high'],
  ],
  ['acme/shop', 420, 'Show stock per warehouse on the product page', ['catalog', 'frontend']],
  ['acme/shop', 423, 'Replace the old date helper', ['chore', 'priority:low']],
  ['acme/shop', 424, 'Export the order history as CSV', ['api']],
  ['acme/shop', 426, 'Refund part of an order', ['payments']],
  ['acme/shop', 428, 'Search by product code', ['search']],
  ['acme/shop', 431, 'Gift wrapping as an option', ['checkout', 'catalog']],
  ['acme/shop', 433, 'Fewer queries on the category page', ['catalog', 'api']],
  ['acme/ledger', 74, 'Sort accounts by code', ['ledger', 'priority:low']],
  ['acme/ledger', 77, 'Lock entries when a month is closed', ['ledger']],
  ['acme/ledger', 79, 'Export the journal', ['ledger', 'api']],
  ['acme/ledger', 83, 'Explain posting errors in plain words', ['docs']],
  ['acme/ledger', 85, 'Round at the line item', ['tax', 'ledger']],
  ['acme/docs', 31, 'Quick start for one repository', ['docs']],
  ['acme/docs', 33, 'Describe the webhooks', ['docs', 'api']],
  ['acme/docs', 36, 'Pictures of the new checkout', ['docs', 'a11y']],
  ['acme/shop', 434, 'Remember the delivery note', ['checkout', 'forms']],
  ['acme/shop', 436, 'Show delivery dates before payment', ['checkout', 'frontend']],
  ['acme/shop', 437, 'Smaller pictures on phones', ['frontend', 'a11y']],
  ['acme/shop', 439, 'Retry a declined card once', ['payments', 'priority:high']],
  ['acme/shop', 440, 'Sort search results by stock', ['search', 'catalog']],
  ['acme/shop', 441, 'Wrong total with two tax rates', ['tax', 'priority:high']],
  ['acme/shop', 443, 'Names with long vowels in addresses', ['forms', 'i18n']],
  ['acme/shop', 444, 'Webhook for a changed address', ['api']],
  ['acme/shop', 446, 'Hide sold-out sizes', ['catalog', 'frontend']],
  ['acme/shop', 447, 'Test for the invoice number', ['tests', 'tax']],
  ['acme/ledger', 86, 'Close a month twice without harm', ['ledger', 'priority:high']],
  ['acme/ledger', 88, 'Balance by cost centre', ['ledger', 'api']],
  ['acme/ledger', 90, 'Faster import of bank files', ['ledger', 'tests']],
  ['acme/docs', 38, 'How refunds work', ['docs']],
  ['acme/docs', 39, 'Glossary of accounting words', ['docs', 'priority:low']],
  ['acme/shop', 449, 'Keyboard in the size picker', ['a11y', 'forms']],
  ['acme/shop', 450, 'One click to order again', ['checkout', 'catalog']],
  ['acme/shop', 452, 'Search forgets the language', ['search', 'i18n']],
  ['acme/shop', 455, 'Limit coupons by customer', ['checkout', 'payments']],
  ['acme/shop', 456, 'Stock level over the API', ['api', 'catalog']],
  ['acme/shop', 458, 'Packing slip without prices', ['mail', 'frontend']],
  ['acme/ledger', 92, 'Undo a posting', ['ledger']],
  ['acme/shop', 461, 'Birthday mail in the evening', ['mail', 'i18n']],
  ['acme/shop', 463, 'Old prices in the feed', ['catalog', 'priority:high']],
];

/** Newest last, as they were opened; more of them come in while the fleet works. */
export function shopIssues(): Issue[] {
  return ROWS.map(([repository, number, title, labels, more = {}]) => ({
    subject: 'issue',
    repository,
    number,
    title,
    body: more.body ?? `${title}.${DELIVERABLES}`,
    url: `https://github.com/${repository}/issues/${number}`,
    labels: [...labels],
    state: 'open',
    author: 'mona',
    createdAt: 0,
    updatedAt: 0,
    priority: null,
    blockedBy: [...(more.blockedBy ?? [])],
    pull: null,
    problem: null,
  }));
}
