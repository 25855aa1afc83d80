import { expect, it } from 'vitest';
import { unreadParts } from './unreadable-notice';

it('says each reason once, with the parts it concerns', () => {
  const note = { code: 'unreachable', message: '192.0.2.3 did not answer', remedy: 'Check the node.' } as const;
  const other = { ...note, code: 'forbidden', message: 'The token may not.', remedy: 'Allow it.' } as const;
  expect(
    unreadParts([
      { ...note, part: 'rules' },
      { ...other, part: 'nodes', node: 'pve1' },
      { ...note, part: 'options' },
      { ...note, part: 'rules' },
    ]),
  ).toEqual([
    { parts: ['rules', 'options'], message: '192.0.2.3 did not answer.', remedy: 'Check the node.' },
    { parts: ['nodes pve1'], message: 'The token may not.', remedy: 'Allow it.' },
  ]);
});
