import { ownRemoteCommands } from './cli/remote/remote-commands';
import { runCli } from './cli/run-cli';

// The program `fabric` as one file for other machines. It needs Node.js, FABRIC_URL and FABRIC_TOKEN, and nothing else.
const status = await runCli(
  ownRemoteCommands(process.env),
  process.argv.slice(2),
  {
    print: (line) => process.stdout.write(`${line}\n`),
    note: (line) => process.stderr.write(`${line}\n`),
  },
  ['Manage policies of Fabric as code.', 'Uses the installation of FABRIC_URL with the API token FABRIC_TOKEN.'],
);
process.stdout.write('', () => process.exit(status));
