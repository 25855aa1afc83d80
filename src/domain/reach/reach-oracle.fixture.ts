import type { Packet } from '../firewall/packet';
import {
  answerAt,
  CLIENT_PORTS,
  isOutside,
  isOwn,
  listAddresses,
  listAskedPackets,
  packetBuilder,
  placesAt,
  type RandomTest,
} from '../policy-tests/random-test.fixture';
import type { Answer, TestEnd } from '../policy-tests/test-end';

/** One packet between two ends, by the keys of their places. */
export type PairPacket = {
  readonly source: string | null;
  readonly destination: string | null;
  readonly packet: Packet;
  readonly verdict: Answer;
};

const endsAt = (end: TestEnd, value: bigint) => [...placesAt(end, value), ...(isOutside(end, value) ? [null] : [])];

/** Every packet between every two ends of a random test with its verdict, each tried at the filters of both ends. */
export function* tryAllPackets({ assertion, from, to, guests }: RandomTest): Generator<PairPacket> {
  const services = listAskedPackets(assertion);
  for (const source of listAddresses(from)) {
    for (const destination of listAddresses(to)) {
      for (const sender of endsAt(from, source)) {
        for (const receiver of endsAt(to, destination)) {
          if (sender?.key === receiver?.key) continue;
          if (sender && isOwn(sender, to, destination)) continue;
          if (receiver && isOwn(receiver, from, source)) continue;
          for (const { protocol, destination_port } of services) {
            for (const source_port of CLIENT_PORTS) {
              const packet = packetBuilder(source, destination, { protocol, source_port, destination_port });
              const answers = [
                ...(sender ? [answerAt(guests, sender, packet('out'))] : []),
                ...(receiver ? [answerAt(guests, receiver, packet('in'))] : []),
              ];
              const verdict = answers.includes('deny') ? 'deny' : answers.includes('unknown') ? 'unknown' : 'accept';
              yield { source: sender?.key ?? null, destination: receiver?.key ?? null, packet: packet('in'), verdict };
            }
          }
        }
      }
    }
  }
}
