import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { PasskeyAnswer, PasskeyCreation, PasskeyCredential, PasskeyRequest } from '@/domain/passkeys';

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();

/** CBOR of what authenticators write: small integers, byte strings, text and maps (RFC 8949). */
function encodeCbor(value: number | string | Uint8Array | Map<number | string, unknown>): Buffer {
  const head = (major: number, n: number) => {
    if (n < 24) return Buffer.from([(major << 5) | n]);
    if (n < 256) return Buffer.from([(major << 5) | 24, n]);
    return Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
  };
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const parts = [...value].flatMap(([key, item]) => [encodeCbor(key), encodeCbor(item as never)]);
  return Buffer.concat([head(5, value.size), ...parts]);
}

type Changes = { origin?: string; rpId?: string; challenge?: string; counter?: number };

/** An authenticator in software: a P-256 key, a counter, and what a browser on `origin` makes of them. */
export class SoftAuthenticator {
  readonly id = randomBytes(16);
  counter = 0;
  readonly #key: KeyObject;
  readonly #public: KeyObject;
  constructor(readonly origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#public = publicKey;
  }

  #clientData(type: string, challenge: string, origin = this.origin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  /** RP ID hash, flags (user present), counter. */
  #data(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
  }

  create(options: PasskeyCreation, changes: Changes = {}): PasskeyCredential {
    const { x, y } = this.#public.export({ format: 'jwk' });
    const cose = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x ?? '', 'base64url')],
      [-3, Buffer.from(y ?? '', 'base64url')],
    ]);
    const length = Buffer.from([0, this.id.length]);
    const data = this.#data(changes.rpId ?? options.rp.id, 0x41);
    const authData = Buffer.concat([data, Buffer.alloc(16), length, this.id, encodeCbor(cose)]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    const clientData = this.#clientData('webauthn.create', changes.challenge ?? options.challenge, changes.origin);
    const id = this.id.toString('base64url');
    return {
      ...{ id, rawId: id, type: 'public-key' },
      response: {
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: encodeCbor(attestation).toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  answer(options: PasskeyRequest, changes: Changes = {}): PasskeyAnswer {
    this.counter = changes.counter ?? this.counter + 1;
    const data = this.#data(changes.rpId ?? options.rpId, 0x01);
    const clientData = this.#clientData('webauthn.get', changes.challenge ?? options.challenge, changes.origin);
    const signature = createSign('sha256')
      .update(Buffer.concat([data, sha256(clientData)]))
      .sign(this.#key);
    const id = this.id.toString('base64url');
    return {
      ...{ id, rawId: id, type: 'public-key' },
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      },
    };
  }
}
