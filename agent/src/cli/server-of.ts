import { type Config, ConfigError } from '../config';
import type { Server } from '../transport/post';

/** The server to talk to. @throws ConfigError when none is configured */
export function serverOf(config: Config): Server {
  if (config.server_url === null) {
    throw new ConfigError(['server_url is not set: give the address of the service in the configuration file']);
  }
  return { url: config.server_url, trust: { caFile: config.ca_file, fingerprint: config.tls_fingerprint } };
}
