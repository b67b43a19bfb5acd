"""A table with categories, times and holes: find the odd rows, say why they are odd, and keep false alarms few.

    python examples/python/fraud.py [--plot DIR]

The table is made up: card payments of three months, 2 % of them fraud. Where EXPOSE_DATA names a folder with the KDD
Cup 99 file, it is real: network connections, 2 % of them attacks.
"""

import argparse
import os
import pathlib

import numpy as np
import pandas as pd

import expose

parser = argparse.ArgumentParser()
parser.add_argument("--plot", type=pathlib.Path, metavar="DIR", help="save pictures there")
arguments = parser.parse_args()
random = np.random.default_rng(7)


def payments(n=18000, frauds=360):
    """People buy by day, for amounts that go with the shop. Thieves buy at night, often abroad, and much at once."""
    shop = random.choice(["grocer", "fuel", "clothes"], n, p=[0.5, 0.3, 0.2])
    usual = pd.Series({"grocer": 30, "fuel": 50, "clothes": 80})[shop].to_numpy()
    fraud = random.permutation(n) < frauds
    hour = np.where(fraud, random.uniform(1, 5, n), random.normal(14, 3, n))
    country = random.choice(["de", "at", "br"], n, p=[0.79, 0.2, 0.01])
    amount = usual * random.lognormal(0, 0.4, n) * np.where(fraud, random.uniform(4, 12, n), 1)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(24 * np.sort(random.integers(0, 90, n)) + hour, "h")
    table = pd.DataFrame({"when": when.round("min"), "amount": amount.round(2), "shop": shop,
                          "country": np.where(fraud & (random.random(n) < 0.5), "br", country),
                          "age_of_card": random.gamma(3, 300, n).round(), "fraud": fraud})
    return table, {"time": "when"}


def connections(file, n=18000, attacks=360):
    names = {1: "protocol", 2: "service", 3: "flag", 4: "sent", 5: "received", 22: "count", 24: "errors", 41: "fraud"}
    table = pd.read_csv(file, header=None, usecols=list(names), nrows=200_000).rename(columns=names)
    table["fraud"] = table["fraud"] != "normal."
    kinds = [table[table["fraud"]].sample(attacks, random_state=7), table[~table["fraud"]].sample(n, random_state=7)]
    # Nearly all rows are like many others, which makes the automatic bandwidth too small for the few that are not.
    return pd.concat(kinds).sample(frac=1, random_state=7, ignore_index=True), {"bandwidth": 3.0}


kdd = pathlib.Path(os.environ.get("EXPOSE_DATA", "nowhere"), "raw", "kddcup.data_10_percent.gz")
table, options = connections(kdd) if kdd.exists() else payments()
last = table.columns[-2]
table.loc[random.random(len(table)) < 0.05, last] = np.nan  # one in twenty was never written down
past, new = table[:12000], table[12000:].reset_index(drop=True)
print(f"{len(past)} rows of the past, {len(new)} new ones; {table[last].isna().sum()} without {last}")

# Nobody knows anything yet. No scaler, no encoder, no imputer; the label is named so that nobody learns from it.
oddest = expose.detect(past, label="fraud", **options).most_anomalous(20)
print(f"of the 20 oddest rows of the past, {past['fraud'].iloc[oddest].sum()} are fraud")

# Weeks later people have complained, and what is left of the past is clean: no gate is needed (trim). Of the new rows
# that we flag, one in ten may be a false alarm (fdr).
model = expose.fit(past[~past["fraud"]], label="fraud", trim=0, fdr=0.1, **options)
verdicts = model.judge(new)
fraud, flagged = new["fraud"].to_numpy(), verdicts.anomalous
print(f"flagged {flagged.sum()} of the new rows, {fraud[flagged].sum()} of them fraud, of {fraud.sum()}")

for i in verdicts.most_anomalous(3):
    shares = pd.Series(model.explain(new.iloc[[i]])[0], model.plan.feature_names).nlargest(2)
    why = ", ".join(f"{name}={new[name][i]} ({share:.0%})" for name, share in shares.items() if share >= 0.05)
    print(f"  row {i}, p-value {verdicts.p_value[i]:.1e}: {why}")

print(f"AUC {(verdicts.similarity[fraud][:, None] < verdicts.similarity[~fraud]).mean():.3f}")

if arguments.plot:
    import expose.plot

    arguments.plot.mkdir(parents=True, exist_ok=True)
    expose.plot.histogram(verdicts).figure.savefig(arguments.plot / "fraud-histogram.png", dpi=90)
    row = new.iloc[verdicts.most_anomalous(3)[2]]
    expose.plot.reasons(model, row).figure.savefig(arguments.plot / "fraud-reasons.png", dpi=90)
