import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, startChild } from './fixtures/child';
import { SETUP_CODE, URL_VARIABLE } from './fixtures/service';

/** Builds what changed, starts the service over an empty data directory, and stops it after the last test. */
export default async function globalSetup() {
  const build = spawnSync(process.execPath, [join(ROOT, 'scripts/build.mjs'), '--if-changed'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (build.status !== 0) throw new Error('the build failed');
  const data = mkdtempSync(join(tmpdir(), 'fabric-e2e-'));
  // The private PostgreSQL runs under an account of its own when this is root; it must be able to get there.
  chmodSync(data, 0o755);
  const service = await startChild(
    [join(ROOT, 'dist/supervisor.mjs')],
    {
      NODE_ENV: 'production',
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: '',
      REDIS_URL: '',
      FABRIC_DATA_DIR: data,
      FABRIC_SETUP_CODE: SETUP_CODE,
      FABRIC_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
      LOG_LEVEL: 'info',
    },
    /ready: (http:\/\/\S+)/,
  );
  process.env[URL_VARIABLE] = service.ready[1] ?? '';
  return async () => {
    await service.stop();
    const logs = join(ROOT, 'test-results');
    mkdirSync(logs, { recursive: true });
    writeFileSync(join(logs, 'e2e-service.log'), service.output());
    rmSync(data, { recursive: true, force: true });
  };
}
