# Values for the tests of internal/tails and of EpsilonOfMu. Needs mpmath; 40 digits.
# reference tails by mpmath 40 digits
from mpmath import *
mp.dps=40
def binup(k,n,x):  # P[Bin(n,x)>=k], term recurrence from the start k (upward)
    if k<=0: return mpf(1)
    t=exp(loggamma(n+1)-loggamma(k+1)-loggamma(n-k+1)+k*log(x)+(n-k)*log1p(-x)); s=t; r=x/(1-x)
    while k<n:
        t*=r*mpf(n-k)/(k+1); k+=1; s+=t
        if t<s*mpf(10)**-45 and k>n*x: break
    return s
def I(x,a,b): return binup(a,a+b-1,x)
rows=[]
for a,b,x in [(6,995,'0.0116'),(6,995,'0.0001'),(931,70,'0.9'),(931,70,'0.95'),(1,1000,'0.5'),(1000,1,'0.5'),(3,500000,'0.00001'),(500000,500001,'0.4995'),(500000,500001,'0.501'),(250000,4,'0.9999')]:
    x=mpf(x)
    lo=I(x,a,b); up=binup(b,a+b-1,1-x)
    rows.append((a,b,nstr(x,20),nstr(lo,17),nstr(up,17)))
for r in rows: print("{%s, %s, %s, %s, %s},"%r)
for x in [-38,-20,-8,-5,-1,0,1,5]:
    print(x, nstr(ncdf(x),17))
for p in ['1e-300','1e-15','1e-5','0.025','0.3','0.5','0.9']:
    p=mpf(p); z=findroot(lambda t: log(ncdf(t))-log(p), -sqrt(2*log(1/p))+0.5 if p<.1 else -0.5 if p<.5 else 1, verify=False); print(nstr(p,5),nstr(z,17))
# gdp eps
def de(mu,e): return ncdf(-e/mu+mu/2)-exp(e)*ncdf(-e/mu-mu/2)
for mu,d in [('0.01','1e-5'),('0.1','1e-5'),('1','1e-5'),('1','1e-12'),('5.359822537549039','1e-5'),('10','1e-5'),('1','0.3'),('30','1e-5'),('100','0.5')]:
    mu=mpf(mu); d=mpf(d)
    lo,hi=mpf(0),mu*mu+20*mu
    for _ in range(140):
        m=(lo+hi)/2
        if de(mu,m)>d: lo=m
        else: hi=m
    print(nstr(mu,17),nstr(d,5),nstr(lo,17))
