/** What differs between releases of the simulated product, as far as a client can notice. */
export type PveVersion = {
  /** `x.y`, as `GET /version` reports it. */
  release: string;
  version: string;
  repoid: string;
  major: 8 | 9;
  /** Failure bodies carry `message` (http-server 5.2.0 and later). */
  messageInBody: boolean;
  /** 401 has only `Authentication failed!`; earlier versions name the reason. */
  unifiedSignInErrors: boolean;
  maxBodyBytes: number;
};

export const PVE_VERSIONS = {
  pve9: {
    release: '9.2',
    version: '9.2.11',
    repoid: '14a22df35955b2c1',
    major: 9,
    messageInBody: true,
    unifiedSignInErrors: true,
    maxBodyBytes: 524_288,
  },
  pve8: {
    release: '8.4',
    version: '8.4.17',
    repoid: 'c8c39014680186a7',
    major: 8,
    messageInBody: true,
    unifiedSignInErrors: true,
    maxBodyBytes: 524_288,
  },
  /** Before January 2025: only the status line gives the reason of a failure. */
  pve8Old: {
    release: '8.2',
    version: '8.2.4',
    repoid: 'faa83925c9641325',
    major: 8,
    messageInBody: false,
    unifiedSignInErrors: false,
    maxBodyBytes: 65_536,
  },
} as const satisfies Record<string, PveVersion>;

export type PveVersionName = keyof typeof PVE_VERSIONS;
