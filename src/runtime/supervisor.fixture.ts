import { runSupervisor } from './run-supervisor';

// The real supervisor over two small programs, for the tests to start, kill and start again.
const PROGRAM = `
  console.log('DATABASE_URL=' + process.env.DATABASE_URL);
  console.log('SETUP_CODE=' + process.env.FABRIC_SETUP_CODE);
  process.send({ ready: true, ...(process.argv[1] === 'web' && { url: 'http://127.0.0.1:1' }) });
  process.on('SIGTERM', () => { console.log('asked to end'); process.exit(0); });
  setInterval(() => {}, 1000);
`;

await runSupervisor((environment) =>
  ['web', 'worker'].map((name) => ({
    name,
    command: process.execPath,
    arguments: ['-e', PROGRAM, name],
    environment,
    workingDirectory: '/',
  })),
);
