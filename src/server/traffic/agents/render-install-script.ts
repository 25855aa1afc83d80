import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderInstaller } from '@fabric/agent-contract/installer';
import { INSTALLER, requireAgentBundle } from './agent-bundle';

/**
 * The installer for anyone: the address of the service and the sums of the files it will fetch. It holds no secret.
 * @param baseUrl without trailing slash
 * @throws AppError `unavailable` when the agent was not built
 */
export async function renderInstallScript(baseUrl: string): Promise<string> {
  const { directory, files } = await requireAgentBundle();
  const template = await readFile(join(directory, INSTALLER), 'utf8');
  return renderInstaller(
    template,
    baseUrl,
    files.filter((file) => file.name !== INSTALLER),
  );
}
