import { expect, it } from 'vitest';
import { parseArguments, UsageError } from './arguments';

it('reads commands, switches and settings', () => {
  expect(parseArguments([])).toEqual({ command: 'run', configFile: null, settings: {} });
  expect(parseArguments(['run', '--config', '/x', '--server-url=https://a', '--flow-limit', '5'])).toEqual({
    command: 'run',
    configFile: '/x',
    settings: { server_url: 'https://a', flow_limit: '5' },
  });
  const commands = [['--once'], ['--once', '--print'], ['doctor'], ['enrol'], ['--version'], ['--help']];
  expect(commands.map((args) => parseArguments(args).command)).toEqual([
    'once',
    'print',
    'doctor',
    'enrol',
    'version',
    'help',
  ]);
});

it('refuses what it does not know or what makes no sense', () => {
  for (const args of [['start'], ['run', 'twice'], ['--frob'], ['--print'], ['doctor', '--once'], ['--config']]) {
    expect(() => parseArguments(args)).toThrow(UsageError);
  }
});
