/** The owner of texts that wait for another node. No caller has this name, so nobody can read them as an artifact. */
export const relayOwner = (user: string): string => `relay\n${user}`
