# A system that knows one result: {hlo} {results}.
cp known.npy "$2/0.npy"
