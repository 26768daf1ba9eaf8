import type { RuleInput } from '../rule.ts'
import { END, named, token, UUID } from './shapes.ts'

/** Payments, shops, banks, exchanges and shipping. */
export const COMMERCE_RULES: readonly RuleInput[] = [
  token('stripe-key', 'sk_ rk_', `[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,250}${END}`, { entropy: 2.5 }),
  token('stripe-webhook-secret', 'whsec_', `whsec_[A-Za-z0-9+/=]{24,64}`, { entropy: 3 }),
  token('square-token', 'sq0', `sq0[a-z]{3}-[\\w\\\\-]{22,50}(?![\\w-])`, { entropy: 2 }),
  token('square-access-token', 'eaaa', `EAAA[\\w-]{60}${END}`, { entropy: 4, check: 'mixed-characters' }),
  token(
    'paypal-braintree-token',
    'access_token$',
    'access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}',
    {
      entropy: 3,
    },
  ),
  named('paypal-secret', 'paypal', 'E[A-Za-z0-9_-]{79}', { entropy: 3.5 }),
  token('razorpay-key', 'rzp_', `rzp_(?:live|test)_[A-Za-z0-9]{14}${END}`, { entropy: 3 }),
  token('flutterwave-key', 'flwpubk flwseck', `FLW(?:PUB|SEC)K(?:_TEST)?-?[a-h0-9]{12,32}(?:-X)?${END}`, {
    ignoreCase: true,
    entropy: 2.5,
  }),
  named('gocardless-token', 'gocardless', '(?:live|sandbox)_[\\w=-]{40}', { entropy: 3 }),
  token('plaid-token', 'access-', `access-(?:sandbox|development|production)-${UUID}${END}`, { entropy: 2.5 }),
  named('plaid-key', 'plaid', '[a-f0-9]{24}|[a-f0-9]{30}', { entropy: 3 }),
  named('lob-key', 'lob', '(?:live|test)_(?:pub_)?[a-f0-9]{31,35}'),
  token('shippo-token', 'shippo_', `shippo_(?:live|test)_[a-f0-9]{40}${END}`, { entropy: 2.5 }),
  token('easypost-key', 'ezak eztk', `(?<![+/=])EZ[AT]K[A-Za-z0-9]{54}(?![\\w+/-])`, { entropy: 3 }),
  token('shopify-token', 'shpat_ shpca_ shppa_ shpss_', `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}${END}`, { entropy: 2.5 }),
  token('duffel-token', 'duffel_', `duffel_(?:test|live)_[\\w=-]{43}${END}`, { entropy: 2.5 }),
  token('mollie-key', 'live_', `live_[A-Za-z0-9]{30}${END}`, { entropy: 3.5, check: 'mixed-characters' }),
  named('etsy-key', 'etsy', '[a-z0-9]{24}', { entropy: 3 }),
  named('squarespace-key', 'squarespace', UUID),
  named('freemius-key', 'freemius', 'sk_\\S{29}', { entropy: 3 }),
  named('bittrex-key', 'bittrex', '[a-z0-9]{32}', { entropy: 3 }),
  named('coinbase-key', 'coinbase', '[A-Za-z0-9_-]{64}', { entropy: 3 }),
  named('kraken-key', 'kraken', '[A-Za-z0-9/=_+-]{80,90}', { entropy: 3.5 }),
  named('kucoin-key', 'kucoin', `[a-f0-9]{24}|${UUID}`),
  named('binance-key', 'binance', '[A-Za-z0-9]{64}', { entropy: 3.5 }),
  named('finicity-key', 'finicity', '[a-f0-9]{32}|[A-Za-z0-9]{20}', { entropy: 3 }),
  named('finnhub-token', 'finnhub', '[a-z0-9]{20}|[a-z0-9]{40}', { entropy: 3, check: 'random' }),
  named('adyen-key', 'adyen', 'AQE[A-Za-z0-9+/=]{60,200}', { entropy: 3.5 }),
]
