import type { LiveCluster, LiveGuest, LiveNic } from './live-state';

/** Why a part could not be read. */
export type UnreadableNote = {
  readonly part: 'options' | 'rules' | 'ipsets' | 'aliases' | 'groups' | 'interfaces' | 'guest';
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
};

/** A guest's filter and interfaces as they were read. Parts that are null are named in `unreadable`. */
export type GuestSnapshot = LiveGuest & {
  /** `absent` only with proof. */
  readonly presence: 'present' | 'absent' | 'unknown';
  /** Live interfaces; null: not readable. */
  readonly nics: readonly LiveNic[] | null;
  /** Interfaces whose change waits for the guest's next start. */
  readonly pending_nics: readonly string[];
  readonly unreadable: readonly UnreadableNote[];
};

export type ClusterSnapshot = LiveCluster & { readonly unreadable: readonly UnreadableNote[] };
