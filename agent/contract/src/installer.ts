/** Path below the base URL from which the installer fetches the files of the manifest. */
export const DOWNLOAD_PATH = '/api/v1/agents/download';

/** A file the agent is made of, as agent/dist/manifest.json lists it. */
export type AgentFile = { name: string; sha256: string };

// Only what needs no quoting in a shell: the address comes from request headers.
const BASE_URL =
  /^https?:\/\/(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:\/[A-Za-z0-9._~-]+)*$/;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * Fills the installer script (agent/dist/install.sh) with the address of the service and the checksums of its files.
 * @param baseUrl without trailing slash
 * @throws Error when a value could change the meaning of the script
 */
export function renderInstaller(template: string, baseUrl: string, files: readonly AgentFile[]): string {
  if (!BASE_URL.test(baseUrl)) throw new Error(`expected a plain base URL: ${JSON.stringify(baseUrl).slice(0, 100)}`);
  const lines = files.map(({ name, sha256 }) => {
    if (!FILE_NAME.test(name) || !SHA256.test(sha256))
      throw new Error(`expected a plain file entry: ${JSON.stringify(name)}`);
    return `${sha256}  ${name}`;
  });
  return template.replace('@FABRIC_BASE_URL@', () => baseUrl).replace('@FABRIC_MANIFEST@', () => lines.join('\n'));
}
