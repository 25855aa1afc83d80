import { runSupervisor } from './run-supervisor';

// The real supervisor over two small programs, for the tests to start, kill and start again.
const PROGRAM = `
  console.log('DATABASE_URL=' + process.env.DATABASE_URL);
  console.log('SETUP_CODE=' + process.env.FABRIC_SETUP_CODE);
  console.log('TARGETS=' + process.env.FABRIC_ALLOW_PRIVATE_TARGETS + ' SEED=' + process.env.SEED_DEMO_DATA);
  process.send({ ready: true, ...(process.argv[1] === 'web' && { url: 'http://127.0.0.1:1' }),
    ...(process.argv[1] === 'demo' && { notes: ['sign in as somebody'] }) });
  process.on('SIGTERM', () => { console.log('asked to end'); process.exit(0); });
  setInterval(() => {}, 1000);
`;

await runSupervisor(({ environment, demo }) =>
  ['web', 'worker', ...(demo ? ['demo'] : [])].map((name) => ({
    name,
    command: process.execPath,
    arguments: ['-e', PROGRAM, name],
    environment,
    workingDirectory: '/',
  })),
);
