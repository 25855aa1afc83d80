import { env } from '@/server/lib/env';
import type { ChildProgram } from './child-process';
import { runSupervisor } from './run-supervisor';

// `npm run dev`: the same supervisor over Next's development server and a worker that restarts when its sources change.
const root = process.cwd();
const program = (name: string, args: string[], environment: NodeJS.ProcessEnv): ChildProgram => ({
  name,
  command: process.execPath,
  arguments: args,
  environment,
  workingDirectory: root,
  readyAtStart: true,
});

const { PORT, HOST } = env();
await runSupervisor(({ environment, collector, demo }) => [
  program('web', ['node_modules/next/dist/bin/next', 'dev', '--port', String(PORT), '--hostname', HOST], {
    ...environment,
    NEXT_TELEMETRY_DISABLED: '1',
  }),
  program('worker', ['--watch', '--watch-preserve-output', '--import', 'tsx', 'workers/main.ts'], environment),
  ...(collector ? [program('collector', ['--import', 'tsx', 'src/runtime/collector-main.ts'], environment)] : []),
  ...(demo ? [program('demo', ['--import', 'tsx', 'src/runtime/demo-main.ts'], environment)] : []),
]);
