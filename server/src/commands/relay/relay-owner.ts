/** Under this owner, texts wait for another node. No caller has this name, so nobody reads them as an artifact. */
export const relayOwner = (user: string): string => `relay\n${user}`
