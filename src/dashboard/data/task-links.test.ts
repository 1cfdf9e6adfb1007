import { expect, it } from 'vitest';
import { linkedTasks } from './task-links.ts';

/** As the bars of the timeline are: an address, and nothing taken apart from it. */
const link = (href: string | null) => ({ getAttribute: () => href });

it('finds each task that is linked to once, from links of every kind', () => {
  const links = [
    link('/tasks/shop~7~review.2'),
    link('/tasks/shop~7~review.2#why'),
    link('/tasks/octo~sh%C3%B6p~8~implement.1'),
    link('/board'),
    link(null),
  ];
  expect([...linkedTasks(links)]).toEqual(['shop~7~review.2', 'octo~shöp~8~implement.1']);
});
