import { parseArgs } from 'node:util';
import { describeSimulator, startControlServer } from './control/control-server';
import { startSimulator } from './http-server';
import { scenarios } from './scenarios/registry';

/*
 * The simulator as a process of its own:
 *   tsx src/server/providers/hypervisor/fake/main.ts --scenario small-lab --port 8006 --control-port 0
 * Prints one line of JSON with addresses, tokens, fingerprints and the control address, then runs until SIGTERM.
 */

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'small-lab' },
    port: { type: 'string', default: '0' },
    'control-port': { type: 'string', default: '0' },
    'time-scale': { type: 'string', default: '1' },
    /** Virtual ms per call. */
    latency: { type: 'string', default: '0' },
  },
});

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const number = (name: 'port' | 'control-port' | 'time-scale' | 'latency'): number => {
  const value = Number(values[name]);
  if (!Number.isFinite(value) || value < 0) fail(`--${name} needs a number, got '${values[name]}'`);
  return value;
};

const scenario = scenarios[values.scenario];
if (!scenario) fail(`--scenario must be one of ${Object.keys(scenarios).join(', ')}`);

const simulator = await startSimulator({
  scenario: scenario(),
  port: number('port'),
  timeScale: number('time-scale'),
  latency: number('latency'),
});
const control = await startControlServer(simulator, number('control-port'));
process.stdout.write(`${JSON.stringify({ ...describeSimulator(simulator), control_url: control.url })}\n`);

const stop = () => {
  void Promise.all([control.close(), simulator.close()]).then(() => process.exit(0));
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
