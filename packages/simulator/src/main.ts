import { parseArgs } from 'node:util';
import { describeSimulator, startControlServer } from './control/control-server';
import { startSimulator } from './http-server';
import { scenarios } from './scenarios/registry';

/*
 * The simulator as a process of its own:
 *   tsx packages/simulator/src/main.ts --scenario small-lab --port 8006 --control-port 0
 * Prints one line of JSON with addresses, tokens, fingerprints and the control address, then runs until SIGTERM.
 */

const USAGE = `Simulated Proxmox VE clusters over HTTPS on loopback addresses.

Usage: npm run dev:fake -- [OPTIONS]

  --scenario NAME      ${Object.keys(scenarios).join(', ')} (default small-lab)
  --port N             port of every node; 0 takes a free one per cluster (default 0)
  --control-port N     port of the control endpoint on 127.0.0.1; 0 takes a free one (default 0)
  --time-scale N       simulated seconds per real second (default 1)
  --latency N          simulated milliseconds that every call takes in its worker (default 0)
  --help               shows this text

Prints one line of JSON (addresses, fingerprints, CA, tokens, control address) and runs until Ctrl-C.
`;

const options = {
  scenario: { type: 'string', default: 'small-lab' },
  port: { type: 'string', default: '0' },
  'control-port': { type: 'string', default: '0' },
  'time-scale': { type: 'string', default: '1' },
  latency: { type: 'string', default: '0' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function fail(message: string): never {
  process.stderr.write(`${message}\nSee npm run dev:fake -- --help\n`);
  process.exit(1);
}

function readArguments() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
}

const values = readArguments();
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
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
