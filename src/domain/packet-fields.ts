import { z } from 'zod';
import { PACKET_PROTOCOLS } from './choices';
import { CONNECTION_STATES } from './firewall/packet';
import { parseIp } from './net/ip-address';

const Address = z
  .string({ error: 'An IP address.' })
  .trim()
  .refine((text) => parseIp(text) !== null, 'An IPv4 or IPv6 address.');
const PORT = 'One port from 0 to 65535.';
const Port = z.int({ error: PORT }).min(0, PORT).max(65535, PORT).optional();
const Small = z.int().min(0, 'From 0 to 255.').max(255, 'From 0 to 255.').optional();

/** Fields of every packet test. What is left out is not known, and decides nothing by guess. */
export const PACKET_FIELDS = {
  source_ip: Address,
  destination_ip: Address,
  /** Name or number. */
  protocol: z.union([z.enum(PACKET_PROTOCOLS), z.int().min(0).max(255)], {
    error: `One of ${PACKET_PROTOCOLS.join(', ')}, or a number.`,
  }),
  source_port: Port,
  destination_port: Port,
  icmp_type: Small,
  icmp_code: Small,
  state: z.enum(CONNECTION_STATES).default('new'),
};

export const isOneFamily = ({ source_ip, destination_ip }: { source_ip: string; destination_ip: string }): boolean =>
  parseIp(source_ip)?.family === parseIp(destination_ip)?.family;
export const ONE_FAMILY = { path: ['destination_ip'], message: 'Both addresses must be of the same family.' };
