import { expect, test } from 'vitest';
import { grantCommands, parseTokenId, tokenCommands } from './token-commands';

test('the privilege to ask guest agents has the name of its version', () => {
  expect(tokenCommands('9')[0]).toContain('VM.GuestAgent.Audit');
  expect(tokenCommands('9')[0]).not.toContain('VM.Monitor');
  expect(tokenCommands('8')[0]).toContain('VM.Monitor');
  expect(tokenCommands('8')[0]).not.toContain('VM.GuestAgent');
});

test('granted privileges name the token and its user', () => {
  const token = parseTokenId(' PVEAPIToken=net.ops@pve!fabric=0f3c ');
  expect(token).toEqual({ id: 'net.ops@pve!fabric', user: 'net.ops@pve' });
  expect(grantCommands('9', token ?? { id: '', user: '' }).slice(1)).toEqual([
    "pveum acl modify / --users 'net.ops@pve' --roles Fabric",
    "pveum acl modify / --tokens 'net.ops@pve!fabric' --roles Fabric",
  ]);
});

test.each(['', 'root@pam', 'a@b!c', "x'; rm -rf /@pve!t=s", 'a b@pve!tt=s'])('%j names no token', (text) => {
  expect(parseTokenId(text)).toBeNull();
});
