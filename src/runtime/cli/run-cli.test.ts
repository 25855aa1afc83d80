import { describe, expect, it } from 'vitest';
import { type Command, textOption, UsageError } from './command';
import { runCli } from './run-cli';

const echo: Command = {
  name: 'echo',
  summary: 'Says something.',
  help: '  fabric echo TEXT [--loud] [--times N]',
  options: { loud: { type: 'boolean' }, times: { type: 'string' } },
  positionals: ['TEXT'],
  async run({ values, positionals, terminal }) {
    if (positionals[0] === 'fail') throw new Error('it did not work');
    if (textOption(values, 'times') === '0') throw new UsageError('--times is at least 1.');
    terminal.print(`${positionals[0]}${values.loud ? '!' : ''}`);
    return 0;
  },
};

async function run(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = { print: (line: string) => void out.push(line), note: (line: string) => void err.push(line) };
  return { status: await runCli([echo], args, terminal), out, err };
}

describe('the program fabric', () => {
  it('runs a command with its options', async () => {
    expect(await run('echo', 'hello', '--loud')).toEqual({ status: 0, out: ['hello!'], err: [] });
  });

  it('lists commands, and explains one', async () => {
    expect((await run('--help')).out[0]).toContain('echo  Says something.');
    expect(await run()).toMatchObject({ status: 1 });
    expect(await run('echo', '--help')).toMatchObject({
      status: 0,
      out: ['Says something.\n\n  fabric echo TEXT [--loud] [--times N]'],
    });
  });

  it.each([
    [['sing'], 'Unknown command: sing. fabric --help lists all commands.'],
    [['echo'], 'TEXT is missing.'],
    [['echo', 'a', 'b'], 'Unexpected argument: b.'],
    [['echo', 'a', '--quiet'], /Unknown option '--quiet'/],
    [['echo', 'a', '--times', '0'], '--times is at least 1.'],
    [['echo', 'a', '--times='], '--times requires a value.'],
  ])('says what is wrong with %j', async (args, message) => {
    const { status, out, err } = await run(...args);
    expect({ status, out }).toEqual({ status: 1, out: [] });
    expect(err[0]).toMatch(message);
  });

  it('gives a failure as one line and status 1', async () => {
    expect(await run('echo', 'fail')).toEqual({ status: 1, out: [], err: ['it did not work'] });
  });
});
